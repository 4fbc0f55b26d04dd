// SPDX-License-Identifier: Apache-2.0
// Differences between numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset.hpp"
#include "util/json.hpp"

namespace dlrun::train {

/// Definitions as in scikit-learn, the mean over the targets where there are several. Of a target that never varies r2
/// and explained_variance are 1 where it is met exactly, else 0.
class Errors {
 public:
  Errors() = default;
  /// @param unit  of the targets: errors are measured in it
  explicit Errors(dataset::ValueScale unit) : unit_(std::move(unit)) {}

  /// One example: `width` outputs and targets.
  void add_example(const float* output, const float* target, std::int64_t width);
  /// Takes in another's examples so many times, whose sums of targets count from an origin of their own; -1 takes them
  /// out again, but the greatest error stays.
  void add(const Errors& other, double times = 1);
  /// Examples so far.
  double count() const { return count_; }
  std::optional<double> value(const std::string& name) const;

  Json to_json() const;
  void restore(const Json& json);

 private:
  double explained(bool without_bias) const;

  dataset::ValueScale unit_;
  double count_ = 0, absolute_ = 0, relative_ = 0, greatest_ = 0;
  /// By target. Sums of targets are taken from the first one on, so that a large mean costs no digits.
  std::vector<double> squared_, error_, origin_, target_, target_squared_;
};

}  // namespace dlrun::train
