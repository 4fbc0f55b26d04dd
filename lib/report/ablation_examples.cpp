// SPDX-License-Identifier: Apache-2.0
#include "report/ablation_examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "report/ablation.hpp"
#include "report/newest_artifact.hpp"
#include "report/program_examples.hpp"
#include "statistics/summary.hpp"
#include "tensors/row_values.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::report {

namespace {

using statistics::ExampleValues;
using statistics::Luck;

/// Values of the epoch that the trial's objective is from.
std::optional<tensors::RowValues> values_of(const OpenedStudy& opened, std::int64_t trial) {
  const auto file = newest_artifact(opened, trial, trial::kValues);
  if (!file) return std::nullopt;
  try {
    return tensors::read_row_values(read_file(*file), file->string());
  } catch (const Error&) {
    return std::nullopt;  // damaged: `verify` says how
  }
}

/// Variance of the contributions by source, over all components. What folds seem to vary by has the variance of their
/// examples in it where each was judged once, else either has that of both in it.
struct Sources {
  double replicates = 0, examples = 0, both = 0;

  double sum() const { return replicates + examples + both; }
};

Sources sources_of(const std::vector<Luck>& all) {
  Sources sum;
  for (const Luck& luck : all) {
    const bool is_judged_once = luck.has_folds && luck.both == 0;
    sum.replicates += luck.replicates - (is_judged_once ? luck.examples : luck.both);
    sum.examples += luck.examples - luck.both;
    sum.both += luck.both;
  }
  return {std::max(0.0, sum.replicates), std::max(0.0, sum.examples), sum.both};
}

constexpr double kMost = 0.8;  ///< share of the variance beside which the rest is not worth narrowing

/// @param wide  name of the intervals
std::string remedy(const Sources& luck, const char* wide) {
  if (luck.examples > kMost * luck.sum()) return fmt::format("more data would narrow {}, more replicates hardly", wide);
  if (luck.replicates > kMost * luck.sum())
    return fmt::format("more replicates would narrow {}, more data hardly", wide);
  return fmt::format("more data and more replicates would narrow {}", wide);
}

std::vector<Luck> lucks_of(const std::vector<const Judged*>& judged) {
  std::vector<Luck> all;
  for (const Judged* one : judged) {
    const auto& luck = one->found.luck;
    if (luck && std::max(luck->examples, luck->replicates) > 0) all.push_back(*luck);
  }
  return all;
}

}  // namespace

namespace {

/// Whether all runs together were judged by no more than one example, or one cluster of them.
bool has_one_example(const AblationStudy& study) {
  std::set<std::int64_t> rows;
  for (const AblationVariant& variant : study.variants) {
    for (const AblationCell& cell : variant.cells) {
      if (cell.examples) rows.insert(cell.examples->rows.begin(), cell.examples->rows.end());
      if (rows.size() > 1) return false;
    }
  }
  return rows.size() == 1;
}

}  // namespace

namespace {

/// Values are of the epoch of the first objective; a further one may be of another.
bool are_of_metric(const OpenedStudy& opened, const AblationStudy& study, const tensors::RowValues& found,
                   double metric) {
  const auto is_metric = [&](const Goal& goal) { return goal.metric == study.metric; };
  if (std::none_of(opened.further.begin(), opened.further.end(), is_metric)) return true;
  constexpr double kRounding = 1e-5;  // sums in single precision are off by so much
  const double mean = statistics::mean({found.values.begin(), found.values.end()});
  return std::abs(mean - metric) <= kRounding * std::max(1.0, std::abs(metric));
}

void take_trained_examples(const OpenedStudy& opened, AblationStudy& study) {
  for (AblationVariant& variant : study.variants) {
    for (AblationCell& cell : variant.cells) {
      const auto found = cell.metric ? values_of(opened, cell.trial) : std::nullopt;
      if (!found || !are_of_metric(opened, study, *found, *cell.metric)) continue;
      study.has_clusters = study.has_clusters || !found->clusters.empty();
      cell.examples =
          statistics::clustered({found->rows, {found->values.begin(), found->values.end()}}, found->clusters);
    }
  }
}

int measured_without_examples(const AblationStudy& study) {
  int count = 0;
  for (const AblationVariant& variant : study.variants) {
    for (const AblationCell& cell : variant.cells) count += cell.metric && !cell.examples ? 1 : 0;
  }
  return count;
}

}  // namespace

void take_examples(const OpenedStudy& opened, AblationStudy& study) {
  study.claims = study.plan.section.analysis.claim();
  if (study.claims == "split") return;
  runs_programs(study) ? take_program_examples(opened, study) : take_trained_examples(opened, study);
  study.without_examples = measured_without_examples(study);
  study.has_one_example = has_one_example(study);
  if (study.without_examples > 0 || study.has_one_example || study.has_other_examples) study.claims = "split";
}

std::vector<ExampleValues> gains_of(const AblationStudy& study, const std::vector<Share>& contrast) {
  std::vector<std::size_t> all(study.seeds.size());
  std::iota(all.begin(), all.end(), std::size_t(0));
  return gains_of(study, contrast, all);
}

std::vector<ExampleValues> gains_of(const AblationStudy& study, const std::vector<Share>& contrast,
                                    const std::vector<std::size_t>& replicates) {
  std::vector<ExampleValues> gains;
  if (study.claims == "split") return gains;
  for (const std::size_t r : replicates) {
    const auto is_lost = [&](const Share& share) { return !share.variant->cells[r].examples; };
    if (std::any_of(contrast.begin(), contrast.end(), is_lost)) continue;
    std::vector<statistics::Weighted> runs;
    for (const auto& [variant, weight] : contrast)
      runs.push_back({&*variant->cells[r].examples, study.maximize ? weight : -weight});
    gains.push_back(statistics::combined(runs));
  }
  return gains;
}

bool has_folds(const std::vector<const Judged*>& judged) {
  return std::any_of(judged.begin(), judged.end(),
                     [](auto* one) { return one->found.luck && one->found.luck->has_folds; });
}

std::string remedy_text(const std::vector<const Judged*>& judged) {
  const std::vector<Luck> all = lucks_of(judged);
  return all.empty() ? "" : remedy(sources_of(all), "them");
}

std::string luck_text(const std::vector<Judged>& judged) {
  const std::vector<Luck> all = lucks_of(by_effect(judged));
  if (all.empty()) return {};
  const Sources luck = sources_of(all);
  const auto share = [&](double part) { return fmt::format("{:.0f} %", 100 * part / luck.sum()); };
  std::string text = fmt::format("examples {}, {} {}", share(luck.examples),
                                 all.front().has_folds ? "folds with their seeds" : "seeds", share(luck.replicates));
  if (luck.both > 0) text += fmt::format(", both together {}", share(luck.both));
  return text + ": " + remedy(luck, "the intervals");
}

}  // namespace dlrun::report
