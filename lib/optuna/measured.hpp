// SPDX-License-Identifier: Apache-2.0
// Values of a study of Optuna's as metrics of dlrun's.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/optuna_rows.hpp"
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::optuna {

/// Metrics that stand for a study's values: the objectives under their names (`study:metric_names`, else value, or
/// value1, value2, …) and its constraints (constraint.0, …; feasible up to 0).
///
/// Steps of dlrun's count from 1. Intermediate values keep their steps where all are at least 1; one more is added
/// where they count from 0; else they are numbered. A result that the last intermediate value is not gets a step of its
/// own behind it.
class Metrics {
 public:
  explicit Metrics(const storage::OptunaStudy& study);

  /// `objective:` and `feasible:` (an empty list: none).
  Json objective() const;
  Json feasible() const;
  /// Steps of the longest trial, at least 1.
  std::int64_t steps() const { return steps_; }
  /// Measurements of a trial, by step.
  std::vector<trial::Report> reports(const storage::OptunaTrial& trial) const;
  /// Objectives of a trial: the values, of a pruned trial without any the last intermediate value; empty: one of them
  /// is not finite or missing.
  std::vector<double> results(const storage::OptunaTrial& trial) const;
  /// Sum of what it is beyond its constraints; nullopt: they are not known.
  std::optional<double> violation(const storage::OptunaTrial& trial) const;

 private:
  std::int64_t own_step(std::int64_t step) const;
  std::vector<double> all_results(const storage::OptunaTrial& trial) const;

  std::vector<std::string> metrics_;  ///< by objective
  std::vector<bool> is_maximized_;
  std::vector<std::string> constraints_;      ///< by number
  std::map<std::int64_t, std::int64_t> own_;  ///< step by step in Optuna
  std::int64_t steps_ = 1;
};

}  // namespace dlrun::optuna
