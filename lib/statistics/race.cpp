// SPDX-License-Identifier: Apache-2.0
#include "statistics/race.hpp"

#include <algorithm>
#include <numeric>

#include "statistics/boundaries.hpp"
#include "statistics/paired.hpp"
#include "statistics/summary.hpp"

namespace dlrun::statistics {

namespace {

constexpr int kFirstLook = 2;  ///< replicates: one has no spread

class Racing {
 public:
  Racing(const RaceRules& rules, const std::vector<SeenCells>& seen) : rules_(rules), seen_(seen) {
    out_.out.resize(seen.size());
  }

  Race decide_rounds() {
    while (out_.end.empty()) {
      const std::vector<std::size_t> in = still_in();
      out_.end = reason_to_end(in);
      if (!out_.end.empty()) break;
      if (!is_decided(in)) {
        out_.open = in;
        break;
      }
      close_round(in);
    }
    return std::move(out_);
  }

 private:
  std::vector<std::size_t> still_in() const {
    std::vector<std::size_t> in;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!out_.out[i]) in.push_back(i);
    }
    return in;
  }

  /// Why no further round begins; empty: one does.
  std::string reason_to_end(const std::vector<std::size_t>& in) const {
    if (in.empty()) return "every contender has failed";
    if (in.size() == 1 && out_.rounds > 0) return "one contender is left";
    if (out_.rounds >= rules_.replicates) return "all replicates are run";
    if (rules_.budget && spent_ + int(in.size()) > *rules_.budget) return "a further round would pass the budget";
    return {};
  }

  bool is_decided(const std::vector<std::size_t>& in) const {
    return std::all_of(in.begin(), in.end(), [&](std::size_t i) { return seen_[i][std::size_t(out_.rounds)]; });
  }

  void close_round(const std::vector<std::size_t>& in) {
    const auto replicate = std::size_t(out_.rounds++);
    spent_ += int(in.size());
    for (const std::size_t i : in) {
      if (!*seen_[i][replicate]) out_.out[i] = {.replicates = out_.rounds, .has_failed = true};
    }
    const std::vector<std::size_t> measured = still_in();
    out_.leader = leader_of(measured);
    if (out_.rounds < kFirstLook) return;
    for (const std::size_t i : measured) {
      if (i != *out_.leader) compare(i);
    }
  }

  std::vector<double> values_of(std::size_t contender) const {
    std::vector<double> values;
    for (int r = 0; r < out_.rounds; ++r) values.push_back(**seen_[contender][std::size_t(r)]);
    return values;
  }

  std::optional<std::size_t> leader_of(const std::vector<std::size_t>& in) const {
    const auto worth = [&](std::size_t i) { return (rules_.maximize ? 1 : -1) * mean(values_of(i)); };
    const auto best =
        std::max_element(in.begin(), in.end(), [&](std::size_t a, std::size_t b) { return worth(a) < worth(b); });
    return best == in.end() ? std::nullopt : std::optional(*best);
  }

  void compare(std::size_t contender) {
    const auto behind = effect_of(gains(values_of(*out_.leader), values_of(contender), rules_.maximize));
    const double level = rules_.levels.at(std::size_t(out_.rounds - kFirstLook));
    if (behind->mean > 0 && behind->p < level)
      out_.out[contender] = {.replicates = out_.rounds, .behind = *out_.leader, .p = behind->p};
  }

  const RaceRules& rules_;
  const std::vector<SeenCells>& seen_;
  int spent_ = 0;
  Race out_;
};

}  // namespace

RaceRules race_rules(int replicates, std::optional<int> budget, int contenders, double alpha, bool maximize) {
  std::vector<int> looks(std::size_t(replicates - kFirstLook + 1));
  std::iota(looks.begin(), looks.end(), kFirstLook);
  const double each = 2 * alpha / (contenders - 1);  // one side of it counts: the leader is better
  return {replicates, budget, maximize, nominal_levels(looks, Boundary::pocock, std::min(each, 0.5))};
}

Race race(const RaceRules& rules, const std::vector<SeenCells>& seen) { return Racing(rules, seen).decide_rounds(); }

}  // namespace dlrun::statistics
