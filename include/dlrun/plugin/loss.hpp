// SPDX-License-Identifier: Apache-2.0
// A loss: `loss: {op: NAME, key: value}` in a study.
#pragma once
#include <dlrun/plugin/options.hpp>
#include <dlrun/plugin/tensors.hpp>

namespace dlrun::plugin {

class Loss {
 public:
  virtual ~Loss() = default;

  /// Loss of each example, [N] float32, in differentiable operations of libtorch: dlrun takes the mean over the
  /// examples, by the section's `class_weights` where it fits classes, and its gradient. REQUIRES: a pure function of
  /// its parameters; example i depends on row i alone.
  /// @param outputs  [N, W] float32, the numbers that the model foretells for each example, or for each position of a
  ///                 sequence whose label counts
  /// @param targets  [N] int64, labels in [0, classes), where plugin.yaml says `fits: classes`;
  ///                 [N, T] float32 where it says `fits: numbers`
  virtual at::Tensor each(const at::Tensor& outputs, const at::Tensor& targets) = 0;

  /// Predictions out of the outputs, which metrics compare with the targets: [N, W] of logits, or [N, T] numbers.
  virtual at::Tensor prediction(const at::Tensor& outputs) { return outputs; }
};

}  // namespace dlrun::plugin

/// Once in the plugin: `Class` is a Loss with a constructor from `const Options&`, which may throw.
#define DLRUN_LOSS(Class)                                                                   \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Loss* dlrun_plugin_loss( \
      const dlrun::plugin::Options& options) {                                              \
    return new Class(options);                                                              \
  }
