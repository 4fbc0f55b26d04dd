// SPDX-License-Identifier: Apache-2.0
// The pictures of an ablation study.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "plot/curves.hpp"
#include "plot/forest.hpp"
#include "plot/heat_map.hpp"
#include "plot/slopes.hpp"
#include "report/ablation.hpp"
#include "report/opened.hpp"
#include "report/race.hpp"

namespace dlrun::report {

namespace {

using statistics::Contribution;
using statistics::Verdict;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool is_ranked(const Contribution& found) { return found.effect && found.verdict != Verdict::invalid; }

/// Groups in the order of statistics::Verdict; then effects that are shown and too small to matter.
std::vector<plot::Group> verdict_groups(const statistics::AnalysisOptions& analysis) {
  using plot::Shape;
  const std::string small = " (" + within_rope(analysis) + ")";
  return {{"helps", plot::kBlue, Shape::disc},
          {"hurts", plot::kVermilion, Shape::diamond},
          {"negligible", plot::kGreen, Shape::open_square},
          {"inconclusive", plot::kQuiet, Shape::open_circle},
          {"helps" + small, plot::kBlue, Shape::open_square},
          {"hurts" + small, plot::kVermilion, Shape::open_square}};
}

std::size_t group_of(const Contribution& found, const statistics::AnalysisOptions& analysis) {
  constexpr std::size_t kSmall = 4;
  return std::size_t(found.verdict) + (is_small(found, analysis) ? kSmall : 0);
}

std::string seeds_remark(const AblationStudy& study, const std::vector<Judged>& judged) {
  int least = std::numeric_limits<int>::max(), most = 0;
  for (const Judged& one : judged) {
    if (!is_ranked(one.found)) continue;
    least = std::min(least, one.found.effect->n);
    most = std::max(most, one.found.effect->n);
  }
  const std::string pairs = most == 0 ? "no pairs yet"
                                      : (least == most ? fmt::format("{} paired seeds", most)
                                                       : fmt::format("{} to {} paired seeds", least, most));
  return fmt::format("{}, {:.0f} % intervals, verdicts at {:.3g} {}", pairs, 100 * study.analysis.level,
                     study.analysis.alpha, correction_name(study.plan.section.analysis.correction));
}

plot::Picture forest_of(const AblationStudy& study, const std::vector<Judged>& judged) {
  plot::Forest chart{study.name + "-forest",
                     fmt::format("What each component contributes to {} of {}", study.metric, study.name),
                     seeds_remark(study, judged),
                     fmt::format("contribution to {} (right of 0 the component helps)", study.metric),
                     study.analysis.rope,
                     within_rope(study.analysis) + ": does not matter",
                     verdict_groups(study.analysis),
                     {}};
  for (const Judged* one : by_effect(judged)) {
    plot::ForestRow row{one->component, group_of(one->found, study.analysis), std::nullopt,
                        verdict_text(one->found, study.analysis)};
    if (is_ranked(one->found)) row.effect = {one->found.effect->mean, one->found.effect->low, one->found.effect->high};
    chart.rows.push_back(row);
  }
  return plot::forest(chart);
}

std::size_t place_of(const AblationStudy& study, const std::string& component) {
  return std::size_t(std::find(study.components.begin(), study.components.end(), component) - study.components.begin());
}

plot::Picture heat_map_of(const AblationStudy& study, const std::vector<JudgedPair>& pairs) {
  plot::HeatMap chart{study.name + "-interactions",
                      "Interactions of the components of " + study.name,
                      fmt::format("orange: each needs the other, blue: each stands in for the other; * p < {:.3g}",
                                  study.analysis.alpha),
                      study.metric,
                      study.components,
                      {}};
  for (const JudgedPair& pair : pairs) {
    if (!pair.found.effect) continue;
    chart.cells.push_back({place_of(study, pair.second), place_of(study, pair.first), pair.found.effect->mean,
                           pair.found.p_corrected < study.analysis.alpha});
  }
  return plot::heat_map(chart);
}

/// The metric by step of each trial, the mean of its members.
std::map<std::int64_t, plot::Curve> curves_by_trial(const OpenedStudy& opened, const std::string& metric) {
  storage::Statement row = opened.query(
      "SELECT m.trial, m.step, avg(m.value) FROM dl_metric m JOIN dl_metric_name n ON n.metric = m.metric "
      "WHERE n.name = ? AND m.value IS NOT NULL GROUP BY m.trial, m.step ORDER BY m.trial, m.step");
  row.bind(metric);
  std::map<std::int64_t, plot::Curve> curves;
  while (row.step()) {
    plot::Curve& curve = curves[row.integer(0)];
    curve.steps.push_back(double(row.integer(1)));
    curve.values.push_back(row.real(2));
  }
  return curves;
}

std::vector<plot::Curve> runs_of(const AblationVariant& variant, const std::map<std::int64_t, plot::Curve>& curves) {
  std::vector<plot::Curve> runs;
  for (const AblationCell& cell : variant.cells) {
    const auto found = curves.find(cell.trial);
    if (cell.metric && found != curves.end()) runs.push_back(found->second);
  }
  return runs;
}

bool has_steps(const std::map<std::int64_t, plot::Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const auto& entry) { return entry.second.steps.size() > 1; });
}

plot::Picture curves_of(const AblationStudy& study, const std::vector<Judged>& judged,
                        const std::map<std::int64_t, plot::Curve>& curves) {
  plot::Curves chart{study.name + "-curves",
                     "Learning curves without each component of " + study.name,
                     "mean over the seeds, bands from the lowest to the highest",
                     "epoch",
                     study.metric,
                     "with it",
                     "without it",
                     {}};
  for (const Judged* one : by_effect(judged)) {
    chart.panels.push_back({one->component, runs_of(*one->with, curves), runs_of(*one->without, curves)});
  }
  return plot::curves(chart);
}

plot::Picture slopes_of(const AblationStudy& study, const std::vector<Judged>& judged) {
  const plot::Group better{"better without it", plot::kVermilion}, worse{"worse without it", plot::kBlue};
  plot::Slopes chart{study.name + "-pairs",
                     fmt::format("{} of {}, seed by seed", study.metric, study.name),
                     "each line is a seed: with the component, and without it",
                     study.metric,
                     "with",
                     "without",
                     study.maximize ? better : worse,
                     study.maximize ? worse : better,
                     {}};
  for (const Judged* one : by_effect(judged)) {
    plot::SlopesPanel panel{one->component, {}};
    for (std::size_t r = 0; r < study.seeds.size(); ++r) {
      panel.pairs.emplace_back(one->with->cells[r].metric.value_or(kMissing),
                               one->without->cells[r].metric.value_or(kMissing));
    }
    chart.panels.push_back(std::move(panel));
  }
  return plot::slopes(chart);
}

}  // namespace

std::vector<NamedPicture> ablation_pictures_of(const OpenedStudy& opened) {
  const AblationStudy study = ablation_study(opened);
  if (study.plan.section.is_race()) return race_pictures(study);
  const std::vector<Judged> judged = main_family(study);
  if (judged.empty()) return {};
  std::vector<NamedPicture> pictures = {{"ablation", forest_of(study, judged)}};
  const bool is_fraction = study.plan.section.design == "fractional";
  const std::vector<JudgedPair> pairs = is_fraction ? aliased_interactions(study) : interactions_of(study);
  if (std::any_of(pairs.begin(), pairs.end(), [](auto& pair) { return pair.found.effect.has_value(); })) {
    pictures.push_back({"interactions", heat_map_of(study, pairs)});
  }
  if (is_fraction) return pictures;  // averages over runs have no curves
  const auto curves = curves_by_trial(opened, study.metric);
  if (has_steps(curves)) pictures.push_back({"curves", curves_of(study, judged, curves)});
  pictures.push_back({"pairs", slopes_of(study, judged)});
  return pictures;
}

}  // namespace dlrun::report
