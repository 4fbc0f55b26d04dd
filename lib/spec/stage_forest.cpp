// SPDX-License-Identifier: Apache-2.0
#include "spec/stage_forest.hpp"

#include <algorithm>
#include <numeric>

namespace dlrun::spec {

namespace {

class Planter {
 public:
  explicit Planter(const std::vector<Prefix>& members) : members_(members) {}

  /// Divides members that agree in their first `from` epochs by what they do next.
  void divide(const std::vector<std::size_t>& together, std::size_t from, int depth) {
    std::vector<std::vector<std::size_t>> branches;
    for (const std::size_t member : together) {
      if (members_[member].size() <= from) continue;
      const auto same = [&](const auto& branch) { return after(branch.front(), from) == after(member, from); };
      const auto found = std::find_if(branches.begin(), branches.end(), same);
      if (found == branches.end()) {
        branches.push_back({member});
      } else {
        found->push_back(member);
      }
    }
    for (const auto& branch : branches) grow(branch, from, depth);
  }

  std::vector<Stage> stages;

 private:
  const std::string& after(std::size_t member, std::size_t epochs) const { return members_[member][epochs]; }

  void grow(const std::vector<std::size_t>& branch, std::size_t from, int depth) {
    std::size_t to = members_[branch.front()].size();
    for (const std::size_t member : branch) {
      to = std::min(to, std::size_t(shared_epochs(members_[branch.front()], members_[member])));
    }
    const std::size_t place = stages.size();
    stages.push_back({std::int64_t(from), std::int64_t(to), branch, depth});
    divide(branch, to, depth + 1);
    stages[place].is_end = stages.size() == place + 1;
  }

  const std::vector<Prefix>& members_;
};

}  // namespace

StageForest stage_forest(const std::vector<Prefix>& members, std::int64_t epochs) {
  std::vector<std::size_t> all(members.size());
  std::iota(all.begin(), all.end(), 0);
  Planter planter(members);
  planter.divide(all, 0, 0);
  StageForest forest{std::move(planter.stages)};
  for (const Prefix& member : members) forest.alone += member.empty() ? epochs : std::int64_t(member.size());
  for (const Prefix& member : members) forest.together += member.empty() ? epochs : 0;
  for (const Stage& stage : forest.stages) forest.together += stage.to - stage.from;
  return forest;
}

StageForest stage_forest(const StudySpec& spec, const std::vector<space::Values>& trials) {
  return stage_forest(prefixes_of(spec, trials, {trial::TrialId(0)}), spec.rules.epochs);
}

}  // namespace dlrun::spec
