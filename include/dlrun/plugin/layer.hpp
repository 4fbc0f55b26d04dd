// SPDX-License-Identifier: Apache-2.0
// A layer of models: `{op: NAME, key: value}` in a study.
//
// The driver never runs the plugin: sizes of the output, tensors and operations are arithmetic in plugin.yaml. A worker
// loads it and asks run() for each batch. One Layer object is made for each such layer of a network; in a pipeline, one
// for each batch of a step too.
#pragma once
#include <dlrun/plugin/options.hpp>
#include <dlrun/plugin/tensors.hpp>

namespace dlrun::plugin {

/// One forward pass.
struct Pass {
  bool training = false;  ///< false: the split is measured, so nothing is dropped and no statistics change
  std::int64_t step = 0;  ///< optimiser steps taken before this one
  /// Draws of this layer and step; null unless plugin.yaml says `random: true`, and where training is false.
  Random* random = nullptr;
};

/// Facts about one layer of one network.
struct LayerFacts {
  std::string name;                     ///< name of the layer in the study, for messages
  Options options;                      ///< values of the keys of plugin.yaml
  std::vector<Sizes> inputs;            ///< sizes of one example of each input
  Sizes output;                         ///< likewise of the output
  std::map<std::string, double> names;  ///< every name of plugin.yaml's arithmetic: sizes of inputs and `let`

  /// @throws std::out_of_range for a name that plugin.yaml does not have
  std::int64_t size(const std::string& of) const { return static_cast<std::int64_t>(names.at(of)); }
};

class Layer {
 public:
  virtual ~Layer() = default;

  /// The output [B, ...output] of the inputs [B, ...inputs[i]], float32 (bfloat16 or float16 in a lower precision), or
  /// int64 where plugin.yaml says `indices: true` and the input holds indices. Written in differentiable operations of
  /// libtorch: dlrun takes the gradient by autograd. REQUIRES: a pure function of its parameters, which changes no
  /// tensor but those that are not trainable, and those in training only.
  /// Any exception fails the attempt with the plugin's name.
  virtual at::Tensor run(const std::vector<at::Tensor>& inputs, const Tensors& tensors, const Pass& pass) = 0;

  /// First numbers of a tensor whose `init` in plugin.yaml is `plugin`. REQUIRES: a pure function of its parameters.
  /// @param random  a stream of this tensor alone
  virtual void initialise(const std::string& name, at::Tensor& /*tensor*/, Random& /*random*/) {
    throw std::logic_error("plugin.yaml leaves the first numbers of '" + name + "' to the plugin, which sets none");
  }
};

}  // namespace dlrun::plugin

/// Once in the plugin: `Class` is a Layer with a constructor from `const LayerFacts&`, which may throw.
#define DLRUN_LAYER(Class)                                                                    \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Layer* dlrun_plugin_layer( \
      const dlrun::plugin::LayerFacts& facts) {                                               \
    return new Class(facts);                                                                  \
  }
