// SPDX-License-Identifier: Apache-2.0
#include "report/race.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "ablation/race.hpp"
#include "report/ablation.hpp"
#include "report/ablation_findings.hpp"
#include "report/race_standings.hpp"
#include "statistics/summary.hpp"
#include "warmstart/race.hpp"

namespace dlrun::report {

namespace {

using statistics::Race;
using statistics::SeenCells;

SeenCells seen_of(const AblationVariant& variant) {
  SeenCells seen;
  for (const AblationCell& cell : variant.cells)
    seen.push_back(cell.is_decided ? std::make_optional(cell.metric) : std::nullopt);
  return seen;
}

class Telling {
 public:
  Telling(const OpenedStudy& opened, const AblationStudy& study, Audience audience)
      : opened_(opened), study_(study), standings_(study, audience), race_(standings_.race()), amounts_(study) {}

  std::vector<Table> tables() const { return {findings(), contenders()}; }

 private:
  std::string quoted(std::size_t i) const { return "`" + standings_.name(i) + "`"; }

  std::size_t runs() const {
    std::size_t all = 0;
    for (const AblationVariant& variant : study_.variants) all += cells_of(variant).size();
    return all;
  }

  // ---- sentences ----

  Table findings() const {
    Table out{"findings of " + study_.name, {"component", "finding"}, {}, Shape::sentences};
    for (const std::string& text : {first(), repetition(), open_choice(), value()}) {
      if (!text.empty()) out.rows.push_back({nullptr, text});
    }
    return out;
  }

  std::string population() const {
    if (study_.claims == "data") return study_.plan.folds > 0 ? " on new data" : " on new examples";
    return study_.claims == "model" ? " on new examples" : "";
  }

  std::string first() const {
    if (!race_.leader)
      return race_.end.empty() ? "The race has not measured anything yet." : "Every variant of the race has failed.";
    const double mean = statistics::mean(measured_of(study_.variants[*race_.leader]));
    const std::string numbers = fmt::format("{:.4g} over {} {}{}", mean, race_.rounds,
                                            study_.plan.folds > 0 ? "fold" : "seed", race_.rounds == 1 ? "" : "s");
    if (race_.end.empty())
      return fmt::format("The race is not over: {} leads by {}{}, {}; {} of {} variants are left.",
                         quoted(*race_.leader), study_.metric, population(), numbers, race_.open.size(),
                         study_.variants.size());
    return fmt::format("{} wins the race of {} variants by {}{}: {} ({} of at most {} runs; {}).",
                       quoted(*race_.leader), study_.variants.size(), study_.metric, population(), numbers, runs(),
                       ablation::most_runs(study_.plan), race_.end);
  }

  std::string repetition() const { return only_repeats(study_, race_) ? std::string("E") + (kNoLuck + 1) + "." : ""; }

  /// Variants that the race could not tell from its winner.
  std::string open_choice() const {
    const std::vector<std::size_t> left = standings_.rivals();
    if (race_.end.empty() || !race_.leader) return {};
    if (left.empty()) return "Each of the others was shown to be worse, or failed.";
    std::vector<std::string> names;
    for (const std::size_t i : left) names.push_back(quoted(i));
    return fmt::format("{} is not shown to be better than {}: over the next, {}, it {}.", quoted(*race_.leader),
                       fmt::join(names, ", "), quoted(left.front()),
                       amounts_.change(standings_.behind(left.front()), false));
  }

  /// A warm start's winner is trained on a longer schedule, whose value the race does not know.
  std::string value() const {
    if (is_warm_race(study_.spec) || only_repeats(study_, race_)) return {};
    const auto found = raced_value(opened_, study_, race_);
    if (!found) return {};
    return fmt::format("Expect {} {:.4g} [{:.4g}, {:.4g}] of it: {}.", found->metric, found->value, found->low,
                       found->high, found->rests_on);
  }

  // ---- the table ----

  std::vector<Json> row_of(std::size_t i) const {
    const std::vector<double> measured = measured_of(study_.variants[i]);
    std::vector<Json> row{standings_.name(i), standings_.text(i), measured.size()};
    row.push_back(measured.empty() ? Json() : figure(statistics::mean(measured)));
    const statistics::Effect behind = standings_.behind(i);
    for (const double end : {behind.mean, behind.low, behind.high}) row.push_back(behind.n > 0 ? figure(end) : Json());
    return row;
  }

  Table contenders() const {
    Table table{
        fmt::format("race by {} (intervals of {:.3g} %, as it judges)", study_.metric, 100 * standings_.level()),
        {"variant", "standing", "runs", "mean", "behind", "low", "high"},
        {},
        Shape::whole};
    for (const std::size_t i : standings_.order()) table.rows.push_back(row_of(i));
    return table;
  }

  const OpenedStudy& opened_;
  const AblationStudy& study_;
  Standings standings_;
  const Race& race_;
  Amounts amounts_;
};

}  // namespace

statistics::Race race_of(const AblationStudy& study) {
  std::vector<SeenCells> seen;
  for (const AblationVariant& variant : study.variants) seen.push_back(seen_of(variant));
  return statistics::race(ablation::race_rules(study.plan, study.maximize), seen);
}

namespace {

bool is_repeated(const AblationVariant& variant) {
  const std::vector<double> runs = measured_of(variant);
  return std::adjacent_find(runs.begin(), runs.end(), std::not_equal_to<>()) == runs.end();
}

}  // namespace

bool only_repeats(const AblationStudy& study, const statistics::Race& race) {
  return runs_programs(study) && race.rounds >= 2 &&
         std::all_of(study.variants.begin(), study.variants.end(), is_repeated);
}

bool is_warm_race(const Json& spec) {
  const Json final = spec.value("final", Json());
  const auto race = final.is_object() ? warmstart::race_of(final.value("warm_start", Json())) : std::nullopt;
  return race && !race->decides.empty();
}

std::string contender_name(const AblationStudy& study, const AblationVariant& variant, Audience audience) {
  if (variant.is_baseline() && is_warm_race(study.spec)) return "none";
  const auto trial = ablation::contender_trial(study.plan.section, variant.id);
  return trial && audience != Audience::programs ? ablation::contender_id(*trial) : variant.id;
}

std::vector<Table> race_tables(const OpenedStudy& opened, const AblationStudy& study, Audience audience) {
  return Telling(opened, study, audience).tables();
}

}  // namespace dlrun::report
