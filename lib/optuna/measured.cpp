// SPDX-License-Identifier: Apache-2.0
#include "optuna/measured.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "optuna/names.hpp"
#include "util/error.hpp"

namespace dlrun::optuna {

using storage::OptunaAttribute;
using storage::OptunaStudy;
using storage::OptunaTrial;

namespace {

constexpr std::int64_t kLargestStep = 1'000'000;  ///< kept as it is; larger ones are numbered

/// The value of a system attribute; null where there is none, or text that is no JSON (NaN is none).
Json system_value(const std::vector<OptunaAttribute>& attributes, const std::string& name) {
  for (const OptunaAttribute& attribute : attributes) {
    if (attribute.is_system && attribute.name == name) return Json::parse(attribute.value, nullptr, false);
  }
  return nullptr;
}

std::vector<std::string> metric_names(const OptunaStudy& study, std::set<std::string>& taken) {
  const Json given = system_value(study.attributes, "study:metric_names");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < study.directions.size(); ++i) {
    std::string name = study.directions.size() == 1 ? "value" : "value" + std::to_string(i + 1);
    if (given.is_array() && i < given.size() && given[i].is_string()) name = given[i].get<std::string>();
    names.push_back(own_name(name, taken, "/"));
  }
  return names;
}

/// Constraints of a trial; empty: it has none, or they are not numbers.
std::vector<double> constraints_of(const OptunaTrial& trial) {
  std::vector<double> out;
  const Json list = system_value(trial.attributes, "constraints");
  for (const Json& value : list.is_array() ? list : Json::array()) {
    if (!value.is_number()) return {};
    out.push_back(value.get<double>());
  }
  for (const OptunaAttribute& attribute : trial.attributes) {
    if (!attribute.is_system || attribute.name.rfind("constraints:", 0) != 0) continue;
    const Json value = Json::parse(attribute.value, nullptr, false);
    if (!value.is_number()) return {};
    out.push_back(value.get<double>());
  }
  return out;
}

/// Every step that a trial reported, as steps that count from 1.
std::map<std::int64_t, std::int64_t> own_steps(const OptunaStudy& study) {
  std::map<std::int64_t, std::int64_t> own;
  for (const OptunaTrial& trial : study.trials) {
    for (const auto& [step, number] : trial.intermediate) own[step] = 0;
  }
  if (own.empty()) return own;
  const std::int64_t first = own.begin()->first;
  const bool is_kept = first >= 0 && own.rbegin()->first < kLargestStep;
  std::int64_t place = 0;
  for (auto& [step, mine] : own) mine = is_kept ? step + (first == 0 ? 1 : 0) : ++place;
  return own;
}

bool is_equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool has_result(const OptunaTrial& trial) { return trial.state == "COMPLETE" || trial.state == "PRUNED"; }

}  // namespace

Metrics::Metrics(const OptunaStudy& study) {
  if (study.directions.empty())
    throw Error(ErrorKind::usage, "study '" + study.name + "' has no direction of an objective");
  std::set<std::string> taken;
  metrics_ = metric_names(study, taken);
  for (const std::string& direction : study.directions) is_maximized_.push_back(direction == "MAXIMIZE");
  own_ = own_steps(study);
  for (const OptunaTrial& trial : study.trials) {
    for (std::size_t i = constraints_.size(); i < constraints_of(trial).size(); ++i)
      constraints_.push_back(own_name("constraint." + std::to_string(i), taken, "/"));
  }
  for (const OptunaTrial& trial : study.trials) {
    const std::vector<trial::Report> all = reports(trial);
    if (!all.empty()) steps_ = std::max(steps_, all.back().step);
  }
}

Json Metrics::objective() const {
  Json list = Json::array();
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    list.push_back({{"metric", metrics_[i]}, {"direction", is_maximized_[i] ? "maximize" : "minimize"}});
  return list.size() == 1 ? list[0] : list;
}

Json Metrics::feasible() const {
  Json list = Json::array();
  for (const std::string& name : constraints_) list.push_back({{"metric", name}, {"max", 0}});
  return list;
}

std::vector<double> Metrics::all_results(const OptunaTrial& trial) const {
  std::vector<double> values;
  for (const auto& [objective, number] : trial.values) values.push_back(number.as_double());
  const bool takes_last = values.empty() && metrics_.size() == 1 && !trial.intermediate.empty();
  if (takes_last) values.push_back(trial.intermediate.rbegin()->second.as_double());
  return values.size() == metrics_.size() ? values : std::vector<double>();
}

std::vector<double> Metrics::results(const OptunaTrial& trial) const {
  std::vector<double> values = all_results(trial);
  const bool is_finite = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  return has_result(trial) && is_finite ? values : std::vector<double>();
}

std::vector<trial::Report> Metrics::reports(const OptunaTrial& trial) const {
  std::vector<trial::Report> out;
  for (const auto& [step, number] : trial.intermediate)
    out.push_back({own_.at(step), {{metrics_.front(), number.as_double()}}});
  if (!has_result(trial)) return out;
  const std::vector<double> values = all_results(trial), bounds = constraints_of(trial);
  const bool needs_step = !values.empty() && (out.empty() || !is_equal(out.back().metrics[0].value, values[0]));
  if (needs_step) out.push_back({out.empty() ? 1 : out.back().step + 1, {{metrics_.front(), values[0]}}});
  if (out.empty()) return out;
  for (std::size_t i = 1; i < values.size(); ++i) out.back().metrics.push_back({metrics_[i], values[i]});
  for (std::size_t i = 0; i < bounds.size(); ++i) out.back().metrics.push_back({constraints_[i], bounds[i]});
  return out;
}

std::optional<double> Metrics::violation(const OptunaTrial& trial) const {
  const std::vector<double> bounds = constraints_of(trial);
  if (bounds.size() != constraints_.size() || bounds.empty()) return std::nullopt;
  double sum = 0;
  for (const double bound : bounds) sum += std::max(bound, 0.0);
  return sum;
}

}  // namespace dlrun::optuna
