// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "recipe/schedule.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

constexpr double kLeastChange = 1e-8;  // torch's eps: a smaller reduction is none

double value_of(const Report& report, const std::string& name) {
  for (const trial::Metric& metric : report.metrics) {
    if (metric.name == name) return metric.value;
  }
  throw Error(ErrorKind::usage, fmt::format("schedule.metric: '{}' is not measured by this trial", name));
}

}  // namespace

Plateau::Plateau(const ScheduleConfig& config, double lr)
    : config_(config),
      lr_(lr),
      best_(config.maximize ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity()) {}

bool Plateau::is_better(double value) const {
  const bool is_relative = config_.threshold_mode == "rel";
  if (config_.maximize) {
    return value > (is_relative ? best_ * (1.0 + config_.threshold) : best_ + config_.threshold);
  }
  return value < (is_relative ? best_ * (1.0 - config_.threshold) : best_ - config_.threshold);
}

void Plateau::observe(const Report& report) {
  const double value = value_of(report, config_.metric);
  const bool improved = is_better(value);
  if (improved) best_ = value;
  bad_ = improved ? 0 : bad_ + 1;
  if (cooling_ > 0) {
    --cooling_;
    bad_ = 0;
  }
  if (bad_ <= config_.patience) return;
  const double reduced = std::max(lr_ * config_.factor, config_.min_lr);
  if (lr_ - reduced > kLeastChange) lr_ = reduced;
  cooling_ = config_.cooldown;
  bad_ = 0;
}

}  // namespace dlrun::recipe
