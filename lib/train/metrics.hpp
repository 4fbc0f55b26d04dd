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

/// Metrics of a split, apart from those that its examples do not define.
struct Defined {
  std::vector<trial::Metric> metrics;
  std::vector<std::string> undefined;  ///< names of the others
};

/// Running sums from which every metric follows; doubles, so that the order of batches is all that matters. Kept in a
/// checkpoint that is written within an epoch. Only what the names need is summed.
class Sums {
 public:
  Sums() = default;
  /// @param names    of recipe::metric_kinds(), beside the loss
  /// @param classes  0: regression
  /// @param means    of the loss, separate_means()
  /// @param unit     of numbers as targets, in which metrics are measured
  Sums(const std::vector<std::string>& names, std::int64_t classes, std::size_t means = 0,
       const dataset::ValueScale& unit = {});

  /// @param loss    of the batch
  /// @param output  what is foretold (Loss::prediction): [B, C], [B, L, C], one logit [B, 1], or [B, T]; float32
  /// @param targets [B], [B, L] int64 or [B, T] float32; what is kIgnored does not count
  void add_batch(const Measured& loss, const at::Tensor& output, const at::Tensor& targets);

  /// Takes in the examples of sums of the same names.
  void add(const Sums& other);

  /// Mean loss so far.
  double loss() const;
  /// {split}.loss and {split}.NAME for each name. @throws Error(usage) for a metric that the split does not define.
  std::vector<trial::Metric> metrics(const std::string& split) const;
  /// The same without what the split does not define. @throws Error(usage) where outputs are NaN.
  Defined defined(const std::string& split) const;

  /// The loss, or a metric of the names, as a sum of means; only a loss is several (Measured::parts).
  /// REQUIRES: it is a mean over labels or examples
  std::vector<Term> terms(const std::string& name) const;
  /// A metric of the names; NaN where the examples do not define it.
  double value(const std::string& name) const;
  /// The same without some of the examples; not of auc (Placements) nor of max_error.
  double value_without(const Sums& examples, const std::string& name) const;
  const Ranking& ranking() const { return ranking_; }

  Json to_json() const;
  /// Takes over what to_json() wrote. @throws Json::exception where a key is missing.
  void restore(const Json& json);

 private:
  /// Sum of losses times their weights, and of the weights.
  struct LossSum {
    double weight = 0, loss = 0;
    void add(double mean, double of);
    void add(const LossSum& other);
    double mean() const { return weight > 0 ? loss / weight : loss; }
  };

  std::vector<trial::Metric> values(const std::string& split) const;
  bool is_defined(const trial::Metric& metric) const;
  bool has_weight() const;
  void add_loss(const Measured& loss);
  const char* ranking_key() const;
  void keep_numbers(const float* output, const float* target, std::int64_t width);
  void add_labels(const at::Tensor& output, const at::Tensor& labels);

  std::vector<std::string> names_;
  bool has_nan_ = false;  ///< some output is NaN; not kept
  bool needs_confusion_ = false, needs_calibration_ = false, needs_ranking_ = false, needs_kept_ = false;
  LossSum loss_;
  std::vector<LossSum> parts_;  ///< as Measured::parts; where there are any, the loss is the sum of their means
  Hits hits_;
  Confusion confusion_;
  Calibration calibration_;
  Ranking ranking_;
  Errors errors_;
  dataset::ValueScale unit_;
  KeptExamples kept_;
};

}  // namespace dlrun::train
