// SPDX-License-Identifier: Apache-2.0
#include "page/curve_data.hpp"

#include "page/numbers.hpp"
#include "report/study_curves.hpp"

namespace dlrun::page {

namespace {

constexpr std::size_t kPoints = 300;  ///< points of a curve at most: a plot has no more pixels for it

Json run_of(const report::StudyCurve& curve) {
  Json steps = Json::array(), values = Json::array();
  for (const double step : curve.steps) steps.push_back(data_number(step));
  for (const double value : curve.values) values.push_back(data_number(value));
  return {
      {"trial", curve.trial}, {"state", int(curve.state)}, {"steps", std::move(steps)}, {"values", std::move(values)}};
}

}  // namespace

Json curves_json(const report::OpenedStudy& study) {
  const report::StudyCurves shown = report::study_curves(study, {}, kPoints);
  if (shown.curves.empty()) return nullptr;
  Json runs = Json::array();
  for (const report::StudyCurve& curve : shown.curves) runs.push_back(run_of(curve));
  return {{"metric", shown.metric}, {"shown", shown.choice}, {"runs", std::move(runs)}};
}

}  // namespace dlrun::page
