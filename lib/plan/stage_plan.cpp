// SPDX-License-Identifier: Apache-2.0
#include "plan/stage_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "spec/stage_forest.hpp"

namespace dlrun::plan {

namespace {

using spec::Stage;

/// "0-3, 7, 9".
std::string numbers_text(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Branches that nothing branches off from, over the same epochs, after the same ones: one line says it of all.
bool are_alike(const Stage& a, const Stage& b) {
  return a.is_end && b.is_end && a.members.size() == 1 && b.members.size() == 1 && a.depth == b.depth &&
         a.from == b.from && a.to == b.to;
}

report::Table tree_of(const std::vector<Stage>& stages) {
  report::Table table{.title = "stages", .columns = {"epochs", "trained", "trials"}};
  for (std::size_t i = 0; i < stages.size();) {
    std::vector<std::size_t> members = stages[i].members;
    std::size_t next = i + 1;
    for (; next < stages.size() && are_alike(stages[i], stages[next]); ++next) {
      members.push_back(stages[next].members.front());
    }
    const std::string branch = std::string(std::size_t(stages[i].depth) * 2, ' ');
    table.rows.push_back({fmt::format("{}{}-{}", branch, stages[i].from + 1, stages[i].to),
                          next - i > 1 ? fmt::format("{} times", next - i) : "once", numbers_text(members)});
    i = next;
  }
  return table;
}

}  // namespace

std::optional<StagePlan> stage_plan(const spec::StudySpec& spec) {
  if (!spec::shares_stages(spec)) return std::nullopt;
  const std::vector<space::Values> trials = spec::planned_trials(spec);
  const spec::StageForest forest = spec::stage_forest(spec, trials);
  if (forest.together >= forest.alone) return std::nullopt;
  const std::int64_t members = spec.rules.members.count();
  return StagePlan{fmt::format("{} trials: {} epochs instead of {}, {:.2f}x fewer{}", trials.size(),
                               forest.together * members, forest.alone * members, forest.times_fewer(),
                               pruners::is_none(spec.pruner.kind) ? "" : " (without the pruner)"),
                   tree_of(forest.stages)};
}

}  // namespace dlrun::plan
