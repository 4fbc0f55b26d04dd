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

bool varies_split(const Json& study) {
  static const Json::json_pointer kVary("/ablation/replicates/vary");
  return study.contains(kVary);
}

statistics::AnalysisOptions analysis_options(const Json& study, bool maximize) {
  const Json section = study.value("ablation", Json::object());
  const Json analysis = section.value("analysis", Json::object()), stopping = section.value("stopping", Json());
  statistics::AnalysisOptions options;
  options.maximize = maximize;
  options.constant_is_collapsed = study.value("trial", Json::object()).value("kind", "train") == "train";
  options.alpha = analysis.value("alpha", options.alpha);
  options.level = analysis.value("interval", options.level);
  if (analysis.contains("rope") && analysis["rope"].is_number()) options.rope = analysis["rope"].get<double>();
  options.correction = statistics::correction_named(analysis.value("correction", "holm"));
  options.test = statistics::paired_test_named(analysis.value("test", "paired_t"));
  if (varies_split(study)) options.test_share = test_share_of(study, analysis.value("metric", ""));
  if (stopping.is_object() && stopping.contains("looks")) {
    options.looks.at = stopping["looks"].get<std::vector<int>>();
    options.looks.boundary = statistics::boundary_named(stopping.value("boundary", "obf"));
  }
  return options;
}

}  // namespace dlrun::ablation
