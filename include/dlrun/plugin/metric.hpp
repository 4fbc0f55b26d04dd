// SPDX-License-Identifier: Apache-2.0
// A metric of a split: `metrics: [NAME]` in a study.
#pragma once
#include <dlrun/plugin/tensors.hpp>

namespace dlrun::plugin {

class Metric {
 public:
  virtual ~Metric() = default;

  /// The metric of a whole split. REQUIRES: a pure function of its parameters; the examples' order is the data's.
  /// Not finite: the split does not define the metric, which fails the attempt.
  /// With `mean: true` in plugin.yaml the value is the mean over examples (over labels, where each position has one) of
  /// the value of each one alone, N = 1. dlrun then asks for these, so that an ablation can claim something about new
  /// examples (docs/ablation-statistics.md).
  /// @param predictions  [N, C] float32: outputs of classes (logits; [N, 1]: of two classes the second one's logit);
  ///                     [N, T] numbers
  /// @param targets      [N] int64 labels, or [N, T] float32
  virtual double value(const at::Tensor& predictions, const at::Tensor& targets) = 0;
};

}  // namespace dlrun::plugin

/// Once in the plugin: `Class` is a Metric that is made of nothing.
#define DLRUN_METRIC(Class) \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Metric* dlrun_plugin_metric() { return new Class(); }
