// SPDX-License-Identifier: Apache-2.0
// A trial stops at a rung if it is worse than most of the values that other trials had there before.
// dlrun/plugin/pruner.hpp has the contract.
#include <dlrun/plugin/pruner.hpp>
#include <map>

namespace plugin = dlrun::plugin;

namespace {

class TemplateName final : public plugin::Pruner {
 public:
  /// The values of its section, checked and with defaults.
  explicit TemplateName(const plugin::Judging& judging)
      : judging_(judging),
        share_(judging.options.real("share")),
        first_(static_cast<std::size_t>(judging.options.integer("first"))),
        seen_(judging.rungs.size()) {}

  /// Values are the lower the better.
  plugin::Verdict judge(const plugin::RungValue& at) override {
    std::map<std::int64_t, double>& seen = seen_[static_cast<std::size_t>(at.rung)];
    seen.erase(at.trial);  // a trial that failed and was tried again is judged again
    const std::size_t others = seen.size();
    std::size_t better = 0;
    for (const auto& [trial, value] : seen) better += value <= at.value ? 1 : 0;
    seen[at.trial] = at.value;
    if (others < first_) return {false, std::to_string(others) + " values to compare with"};
    const bool stops = static_cast<double>(better) >= (1 - share_) * static_cast<double>(others);
    return {stops, std::to_string(judging_.shown(at.value)) + ": " + std::to_string(better) + " of " +
                       std::to_string(others) + " were no worse"};
  }

 private:
  plugin::Judging judging_;
  double share_;
  std::size_t first_;
  std::vector<std::map<std::int64_t, double>> seen_;  ///< at each rung the values of trials
};

}  // namespace

DLRUN_PRUNER(TemplateName)
