// SPDX-License-Identifier: Apache-2.0
// Metrics of a split, gathered batch by batch.
#pragma once
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "train/loss.hpp"
#include "train/metrics/calibration.hpp"
#include "train/metrics/confusion.hpp"
#include "train/metrics/errors.hpp"
#include "train/metrics/hits.hpp"
#include "train/metrics/plugin_metric.hpp"
#include "train/metrics/ranking.hpp"
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::train {

/// A metric as a part of a sum of means: `factor` times a mean that was taken over `weight`.
struct Term {
  double factor = 1;
  double value = 0;   ///< the mean
  double weight = 0;  ///< Measured::weight for the loss, else labels or examples
};

/// Running sums from which every metric follows; doubles, so that the order of batches is all that matters. Kept in a
/// checkpoint that is written within an epoch. Only what the names need is summed.
class Sums {
 public:
  Sums() = default;
  /// @param names    of recipe::metric_kinds(), beside the loss
  /// @param classes  0: regression
  Sums(const std::vector<std::string>& names, std::int64_t classes);

  /// @param loss    of the batch
  /// @param output  what is foretold (Loss::prediction): [B, C], [B, L, C], one logit [B, 1], or [B, T]; float32
  /// @param targets [B], [B, L] int64 or [B, T] float32; what is kIgnored does not count
  void add_batch(const Measured& loss, const at::Tensor& output, const at::Tensor& targets);

  /// Takes in the examples of sums of the same names.
  void add(const Sums& other);

  /// Mean loss so far.
  double loss() const { return weight_ > 0 ? loss_ / weight_ : loss_; }
  /// {split}.loss and {split}.NAME for each name. @throws Error(usage) for a metric that the split does not define.
  std::vector<trial::Metric> metrics(const std::string& split) const;

  /// The loss, or a metric of the names. REQUIRES: it is a mean over labels or examples
  Term term(const std::string& name) const;
  /// A metric of the names; NaN where the examples do not define it.
  double value(const std::string& name) const;
  /// The same without some of the examples; not of auc (Placements) nor of max_error.
  double value_without(const Sums& examples, const std::string& name) const;
  const Ranking& ranking() const { return ranking_; }

  Json to_json() const;
  /// Takes over what to_json() wrote. @throws Json::exception where a key is missing.
  void restore(const Json& json);

 private:
  void add_labels(const at::Tensor& output, const at::Tensor& labels);

  std::vector<std::string> names_;
  bool needs_confusion_ = false, needs_calibration_ = false, needs_ranking_ = false, needs_kept_ = false;
  double weight_ = 0, loss_ = 0;
  Hits hits_;
  Confusion confusion_;
  Calibration calibration_;
  Ranking ranking_;
  Errors errors_;
  KeptExamples kept_;
};

}  // namespace dlrun::train
