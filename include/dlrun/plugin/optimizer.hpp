// SPDX-License-Identifier: Apache-2.0
// An optimiser: `optimizer: {op: NAME, lr: …, key: value}` in a study.
#pragma once
#include <cstddef>
#include <cstdint>
#include <dlrun/plugin/options.hpp>
#include <vector>

namespace dlrun::plugin {

/// A stretch of the network's weights under one set of settings, and one step of it. Weights may be cut into stretches
/// anywhere (at layers, or not at all), so each number must depend on its own place alone.
struct Stretch {
  float* values;              ///< the weights, changed in place
  const float* grads;         ///< gradients of the weights
  std::vector<float*> state;  ///< one buffer for each name of `state` in plugin.yaml, in order; zeros before step 1
  std::size_t size;           ///< numbers in each of these
  std::int64_t step;          ///< number of this step, from 1
  double lr;                  ///< learning rate of this step: the schedule, warm-up and factors are in it
  double weight_decay;        ///< as the study says for these weights, 0 where nothing decays
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// One step. REQUIRES: a function of the stretch alone; the object remembers nothing, because training may end after
  /// any step and resume elsewhere with the state's buffers. Padding between tensors is part of the stretch: its
  /// values and gradients are zeros and must stay so. Use no fused or reordered arithmetic, or results depend on the
  /// processor.
  virtual void step(const Stretch& stretch) = 0;
};

}  // namespace dlrun::plugin

/// Once in the plugin: `Class` is an Optimizer with a constructor from `const Options&`, which may throw.
#define DLRUN_OPTIMIZER(Class)                                                                        \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Optimizer* dlrun_plugin_optimizer( \
      const dlrun::plugin::Options& options) {                                                        \
    return new Class(options);                                                                        \
  }
