// SPDX-License-Identifier: Apache-2.0
#include "train/patience.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

double value_of(const trial::Report& report, const std::string& name) {
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                  [&](const trial::Metric& metric) { return metric.name == name; });
  if (found != report.metrics.end()) return found->value;
  throw Error(ErrorKind::usage, fmt::format("stop.metric: '{}' is not measured by this trial", name));
}

}  // namespace

bool is_exhausted(const StopConfig& config, const std::vector<trial::Report>& reports) {
  if (reports.empty()) return false;
  double best = value_of(reports.front(), config.metric);
  std::int64_t without = 0;
  for (std::size_t i = 1; i < reports.size(); ++i) {
    const double value = value_of(reports[i], config.metric);
    const bool is_better = config.maximize ? value > best + config.min_delta : value < best - config.min_delta;
    if (is_better) best = value;
    without = is_better ? 0 : without + 1;
    if (without > config.patience) return true;
  }
  return false;
}

}  // namespace dlrun::train
