// SPDX-License-Identifier: Apache-2.0
#include "report/race.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ablation/race.hpp"
#include "report/ablation.hpp"
#include "report/ablation_findings.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

using statistics::DroppedOut;
using statistics::Race;
using statistics::SeenCells;

constexpr const char* kOfTrial = "trial-";

SeenCells seen_of(const AblationVariant& variant) {
  SeenCells seen;
  for (const AblationCell& cell : variant.cells)
    seen.push_back(cell.is_decided ? std::optional(cell.metric) : std::nullopt);
  return seen;
}

std::optional<std::int64_t> number_after(const std::string& text, std::size_t place) {
  const std::string digits = text.substr(std::min(place, text.size()));
  const bool is_number = !digits.empty() && digits.size() < 19 &&
                         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? std::optional<std::int64_t>(std::stoll(digits)) : std::nullopt;
}

/// Coverage of an interval that excludes 0 where the race would drop a contender, after its last round.
double level_of(const AblationStudy& study, const Race& race) {
  const std::vector<double> levels = ablation::race_rules(study.plan, study.maximize).levels;
  const auto look = std::size_t(std::max(0, race.rounds - 2));
  return 1 - levels.at(std::min(look, levels.size() - 1));
}

/// The gain of the leader over another, judged as the study claims.
statistics::Contribution lead_over(const AblationStudy& study, const AblationVariant& leader,
                                   const AblationVariant& other, double level) {
  statistics::AnalysisOptions analysis = study.analysis;
  analysis.level = level;
  return statistics::contributions({study.compared(leader, other)}, analysis).front();
}

class Telling {
 public:
  Telling(const OpenedStudy& opened, const AblationStudy& study, Audience audience)
      : opened_(opened),
        study_(study),
        audience_(audience),
        race_(race_of(study)),
        level_(level_of(study, race_)),
        amounts_(study) {}

  std::vector<Table> tables() const { return {findings(), contenders()}; }

 private:
  std::string name(std::size_t i) const { return contender_name(study_, study_.variants[i], audience_); }
  std::string quoted(std::size_t i) const { return "`" + name(i) + "`"; }

  std::vector<std::size_t> rivals() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < study_.variants.size(); ++i) {
      if (!race_.out[i] && i != race_.leader) out.push_back(i);
    }
    return out;
  }

  std::size_t runs() const {
    std::size_t all = 0;
    for (const AblationVariant& variant : study_.variants) all += cells_of(variant).size();
    return all;
  }

  // ---- sentences ----

  Table findings() const {
    Table out{"findings of " + study_.name, {"component", "finding"}, {}, Shape::sentences};
    for (const std::string& text : {first(), open_choice(), value()}) {
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

  /// Variants that the race could not tell from its winner.
  std::string open_choice() const {
    const std::vector<std::size_t> left = rivals();
    if (race_.end.empty() || !race_.leader) return {};
    if (left.empty()) return "Each of the others was shown to be worse, or failed.";
    const std::size_t next = *std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
      return lead(a).effect->mean < lead(b).effect->mean;
    });
    std::vector<std::string> names;
    for (const std::size_t i : left) names.push_back(quoted(i));
    return fmt::format("It is not shown to be better than {}: over the next, {}, it {}.", fmt::join(names, ", "),
                       quoted(next), amounts_.change(*lead(next).effect, false));
  }

  std::string value() const {
    const auto found = raced_value(opened_, study_, race_);
    if (!found) return {};
    return fmt::format("Expect {} {:.4g} [{:.4g}, {:.4g}] of it: {}.", found->metric, found->value, found->low,
                       found->high, found->rests_on);
  }

  // ---- the table ----

  statistics::Contribution lead(std::size_t i) const {
    return lead_over(study_, study_.variants[*race_.leader], study_.variants[i], level_);
  }

  std::string standing(std::size_t i) const {
    const auto& out = race_.out[i];
    if (i == race_.leader && !out) return race_.end.empty() ? "leads" : "wins";
    if (!out) return "not shown to be worse";
    return out->has_failed
               ? fmt::format("failed in replicate {}", out->replicates)
               : fmt::format("worse than {} after {}, p {:.2g}", name(out->behind), out->replicates, out->p);
  }

  std::vector<Json> row_of(std::size_t i) const {
    const std::vector<double> measured = measured_of(study_.variants[i]);
    std::vector<Json> row{name(i), standing(i), measured.size()};
    row.push_back(measured.empty() ? Json() : figure(statistics::mean(measured)));
    const bool is_behind = race_.leader && i != race_.leader;
    const auto effect = is_behind ? lead(i).effect : std::nullopt;
    for (const double statistics::Effect::*end :
         {&statistics::Effect::mean, &statistics::Effect::low, &statistics::Effect::high})
      row.push_back(effect ? figure((*effect).*end) : Json());
    return row;
  }

  Table contenders() const {
    Table table{fmt::format("race by {} (intervals of {:.3g} %, as it judges)", study_.metric, 100 * level_),
                {"variant", "standing", "runs", "mean", "behind", "low", "high"},
                {},
                Shape::whole};
    std::vector<std::size_t> order(study_.variants.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    for (const std::size_t i : order) table.rows.push_back(row_of(i));
    return table;
  }

  /// The winner, those that are left by their means, then the last to drop out first.
  std::pair<int, double> rank(std::size_t i) const {
    if (i == race_.leader && !race_.out[i]) return {-1, 0};
    if (race_.out[i]) return {1 + int(study_.seeds.size()) - race_.out[i]->replicates, double(i)};
    const std::vector<double> measured = measured_of(study_.variants[i]);
    return {0, measured.empty() ? 0 : (study_.maximize ? -1 : 1) * statistics::mean(measured)};
  }

  const OpenedStudy& opened_;
  const AblationStudy& study_;
  Audience audience_;
  Race race_;
  double level_;
  Amounts amounts_;
};

}  // namespace

statistics::Race race_of(const AblationStudy& study) {
  std::vector<SeenCells> seen;
  for (const AblationVariant& variant : study.variants) seen.push_back(seen_of(variant));
  return statistics::race(ablation::race_rules(study.plan, study.maximize), seen);
}

std::optional<std::int64_t> contender_trial(const AblationStudy& study, const AblationVariant& variant) {
  const std::string from = study.plan.section.from.value_or("");
  if (variant.is_baseline()) return from.empty() ? std::nullopt : number_after(from, from.rfind('/') + 1);
  return variant.id.starts_with(kOfTrial) ? number_after(variant.id, std::string(kOfTrial).size()) : std::nullopt;
}

std::string contender_name(const AblationStudy& study, const AblationVariant& variant, Audience audience) {
  const auto trial = audience == Audience::programs ? std::nullopt : contender_trial(study, variant);
  return variant.is_baseline() && trial ? fmt::format("{}{}", kOfTrial, *trial) : variant.id;
}

std::vector<Table> race_tables(const OpenedStudy& opened, const AblationStudy& study, Audience audience) {
  return Telling(opened, study, audience).tables();
}

}  // namespace dlrun::report
