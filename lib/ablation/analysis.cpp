// SPDX-License-Identifier: Apache-2.0
#include "ablation/analysis.hpp"

namespace dlrun::ablation {

namespace {

/// Examples that the metric is of, relative to those trained on.
double test_share_of(const Json& study, const std::string& metric) {
  const Json data = study.value("derived", Json::object()).value("data", Json::object());
  const auto trained = data.value("train", 0.0), judged = data.value(metric.substr(0, metric.find('.')), 0.0);
  return trained > 0 ? judged / trained : 0;
}

}  // namespace

statistics::AnalysisOptions analysis_options(const Plan& plan, const Json& study, bool maximize) {
  const Analysis& analysis = plan.section.analysis;
  statistics::AnalysisOptions options;
  options.maximize = maximize;
  options.constant_is_collapsed = study.value("trial", Json::object()).value("kind", "train") == "train";
  options.alpha = analysis.alpha;
  options.level = analysis.interval;
  options.rope = analysis.rope.value_or(0);
  options.correction = statistics::correction_named(analysis.correction);
  options.test = statistics::paired_test_named(analysis.test);
  if (plan.section.has_own_splits()) options.test_share = test_share_of(study, analysis.metric);
  if (const auto& stopping = plan.section.stopping)
    options.looks = {stopping->looks, statistics::boundary_named(stopping->boundary)};
  return options;
}

Design design_of(const Section& section, std::size_t comparisons) {
  return {section.replicates.n, int(comparisons), section.analysis.alpha, section.analysis.test,
          section.analysis.correction};
}

}  // namespace dlrun::ablation
