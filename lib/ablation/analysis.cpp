// SPDX-License-Identifier: Apache-2.0
#include "ablation/analysis.hpp"

namespace dlrun::ablation {

statistics::AnalysisOptions analysis_options(const Json& section, const std::string& kind, bool maximize) {
  const Json analysis = section.value("analysis", Json::object()), stopping = section.value("stopping", Json());
  statistics::AnalysisOptions options;
  options.maximize = maximize;
  options.constant_is_collapsed = kind == "train";
  options.alpha = analysis.value("alpha", options.alpha);
  options.level = analysis.value("interval", options.level);
  if (analysis.contains("rope") && analysis["rope"].is_number()) options.rope = analysis["rope"].get<double>();
  options.correction = statistics::correction_named(analysis.value("correction", "holm"));
  options.test = statistics::paired_test_named(analysis.value("test", "paired_t"));
  if (stopping.is_object() && stopping.contains("looks")) {
    options.looks.at = stopping["looks"].get<std::vector<int>>();
    options.looks.boundary = statistics::boundary_named(stopping.value("boundary", "obf"));
  }
  return options;
}

}  // namespace dlrun::ablation
