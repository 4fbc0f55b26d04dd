// SPDX-License-Identifier: Apache-2.0
#include "study/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>

namespace dlrun::study {

namespace {

const double* find_metric(const trial::Report& report, const std::string& name) {
  for (const trial::Metric& metric : report.metrics) {
    if (metric.name == name) return &metric.value;
  }
  return nullptr;
}

Unmeasured missing(const Objective& objective) {
  return {trial::Cause::exception, fmt::format("no value of '{}' was reported", objective.metric)};
}

Unmeasured not_finite(const Objective& objective, double value, std::int64_t step) {
  return {trial::Cause::nan, fmt::format("'{}' is {} at epoch {}", objective.metric, value, step)};
}

std::variant<Measured, Unmeasured> measure_last(const Objective& objective, const std::vector<trial::Report>& reports) {
  for (auto report = reports.rbegin(); report != reports.rend(); ++report) {
    const double* value = find_metric(*report, objective.metric);
    if (!value) continue;
    if (!std::isfinite(*value)) return not_finite(objective, *value, report->step);
    return Measured{*value, report->step};
  }
  return missing(objective);
}

std::variant<Measured, Unmeasured> measure_best(const Objective& objective, const std::vector<trial::Report>& reports,
                                                std::optional<Measured> best) {
  std::optional<Unmeasured> bad;
  for (const trial::Report& report : reports) {
    const double* value = find_metric(report, objective.metric);
    if (!value) continue;
    if (!std::isfinite(*value)) {
      bad = not_finite(objective, *value, report.step);
    } else if (!best || is_better(objective, *value, best->value)) {
      best = Measured{*value, report.step};
    }
  }
  if (best) return *best;
  return bad ? *bad : missing(objective);
}

/// The latest value up to an epoch; nullptr: none.
const trial::Report* latest(const std::string& metric, const std::vector<trial::Report>& reports, std::int64_t step) {
  for (auto report = reports.rbegin(); report != reports.rend(); ++report) {
    if (report->step <= step && find_metric(*report, metric)) return &*report;
  }
  return nullptr;
}

std::optional<Unmeasured> measure_further(const Objective& objective, const std::vector<trial::Report>& reports,
                                          double& number) {
  const bool is_known = !std::isnan(number);
  if (is_known && !latest(objective.metric, reports, std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  const auto measured = measure(objective, reports, is_known ? std::optional(Measured{number, 0}) : std::nullopt);
  if (const auto* none = std::get_if<Unmeasured>(&measured)) return *none;
  number = std::get<Measured>(measured).value;
  return std::nullopt;
}

std::optional<Unmeasured> measure_bounded(const Bound& bound, const std::vector<trial::Report>& reports,
                                          std::int64_t step, double& number) {
  const trial::Report* report = latest(bound.metric, reports, step);
  if (!report && std::isnan(number)) return missing({bound.metric});
  if (!report) return std::nullopt;
  const double value = *find_metric(*report, bound.metric);
  if (!std::isfinite(value)) return not_finite({bound.metric}, value, report->step);
  number = value;
  return std::nullopt;
}

struct Hash {
  std::uint64_t state = 0xcbf29ce484222325u;  // FNV-1a
  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) state = (state ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3u;
  }
  void add(const std::string& text) {
    for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    add(text.size());
  }
};

}  // namespace

bool is_better(const Objective& objective, double a, double b) { return objective.maximize ? a > b : a < b; }

std::variant<Measured, Unmeasured> measure(const Objective& objective, const std::vector<trial::Report>& reports,
                                           std::optional<Measured> earlier) {
  return objective.at_best ? measure_best(objective, reports, earlier) : measure_last(objective, reports);
}

std::optional<Unmeasured> measure_extras(const Rules& rules, const std::vector<trial::Report>& reports,
                                         std::int64_t step, std::span<double> extras) {
  std::size_t next = 0;
  for (const Objective& objective : rules.further) {
    if (auto none = measure_further(objective, reports, extras[next++])) return none;
  }
  for (const Bound& bound : rules.bounds) {
    if (auto none = measure_bounded(bound, reports, step, extras[next++])) return none;
  }
  return std::nullopt;
}

std::vector<std::string> needed_metrics(const Rules& rules) {
  std::vector<std::string> needed{rules.objective.metric};
  for (const Objective& objective : rules.further) needed.push_back(objective.metric);
  for (const Bound& bound : rules.bounds) needed.push_back(bound.metric);
  return needed;
}

double excess_of(const Bound& bound, double value) {
  const double beyond = bound.is_upper ? value - bound.limit : bound.limit - value;
  return bound.limit == 0 ? beyond : beyond / std::abs(bound.limit);
}

std::vector<std::pair<std::int64_t, double>> curve(const Objective& objective,
                                                   const std::vector<trial::Report>& reports) {
  std::vector<std::pair<std::int64_t, double>> points;
  for (const trial::Report& report : reports) {
    if (const double* value = find_metric(report, objective.metric)) points.emplace_back(report.step, *value);
  }
  return points;
}

Curve mean_curve(const std::vector<Curve>& members) {
  if (members.size() == 1) return members.front();
  std::map<std::int64_t, int> epochs;
  for (const Curve& curve : members) {
    for (const auto& [epoch, value] : curve) ++epochs[epoch];
  }
  Curve mean;
  for (const auto& [epoch, unused] : epochs) {
    double sum = 0;
    int count = 0;
    for (const Curve& curve : members) {
      const auto after = std::upper_bound(curve.begin(), curve.end(), epoch,
                                          [](std::int64_t e, const auto& point) { return e < point.first; });
      const bool has_it = after != curve.begin() && (std::prev(after)->first == epoch || after == curve.end());
      if (!has_it) continue;
      sum += std::prev(after)->second;
      ++count;
    }
    mean.emplace_back(epoch, sum / count);
  }
  return mean;
}

std::uint64_t digest(const trial::PieceResult& result) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(result.outcome));
  for (const trial::Report& report : result.reports) {
    hash.add(static_cast<std::uint64_t>(report.step));
    for (const trial::Metric& metric : report.metrics) {
      hash.add(metric.name);
      hash.add(std::bit_cast<std::uint64_t>(metric.value));
    }
  }
  for (const trial::Artifact& artifact : result.artifacts) hash.add(artifact.role + artifact.sha256);
  return hash.state == 0 ? 1 : hash.state;
}

}  // namespace dlrun::study
