// SPDX-License-Identifier: Apache-2.0
// Interface of a layer kind: forward and backward on ATen's kernels, without autograd.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "model/graph.hpp"
#include "nn/parameters.hpp"
#include "nn/precision.hpp"

namespace dlrun::nn {

/// Key of every random stream of a model, beside the stream's own name.
struct Streams {
  std::uint64_t seed = 0;
  int replicate = 0;
};

/// One forward pass and the backward that may follow it.
struct Pass {
  bool training = false;
  std::int64_t step = 0;  ///< optimiser steps taken before this one; dropout's counter
  /// Running statistics of batch norms become the equal mean over the batches that they have counted
  /// (torch.nn.BatchNorm with momentum=None), instead of moving by their momentum.
  bool counts_statistics = false;
};

/// A layer. Between forward (training) and backward it may keep values it needs; one pass at a time.
class Layer {
 public:
  virtual ~Layer() = default;
  /// Sets its own tensors from streams named by them.
  virtual void initialise(const Streams&) {}
  /// @param inputs  each [B, ...node.in[i]], contiguous; float32, or int64 where the model's input holds indices
  /// @return        [B, ...node.out] float32; may share memory with an input, which it never changes
  /// Under autocast both may be bfloat16 or float16, where takes_low_precision().
  virtual at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) = 0;
  /// Writes the gradients of the layer's parameters and returns those of its inputs, in order; undefined ones where
  /// `wanted[i]` is false.
  /// @param grad  gradient of the output, shaped like it
  virtual std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) = 0;
  /// Whether it computes under autocast; the others are given float32 (Float32Layer).
  virtual bool takes_low_precision() const { return false; }
};

/// A layer of one input, which most are.
class UnaryLayer : public Layer {
 public:
  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) final { return forward(inputs[0], pass); }
  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) final {
    return {backward(grad, static_cast<bool>(wanted[0]))};
  }
  virtual at::Tensor forward(const at::Tensor& x, const Pass& pass) = 0;
  virtual at::Tensor backward(const at::Tensor& grad, bool wanted) = 0;
};

/// Parts a layer is made of: its node and its tensors by local name ("weight").
class Scope {
 public:
  Scope(const model::Node& node, const Parameters& parameters, Streams streams)
      : node_(node), parameters_(parameters), streams_(streams) {}

  const model::Node& node() const { return node_; }
  const Streams& streams() const { return streams_; }
  /// Layers that touch numbers by themselves are for the CPU alone.
  bool is_on_cpu() const { return parameters_.values().is_cpu(); }
  /// @throws Error(internal) where the node has no such tensor.
  const Parameter& tensor(const std::string& local) const;
  /// nullptr where the node has no such tensor.
  const Parameter* find(const std::string& local) const;
  /// The local names of all its tensors.
  std::vector<std::string> locals() const;
  /// An attribute; its default is filled in.
  /// @throws Error(usage) if it is of another type, Error(internal) if the node has none
  std::int64_t integer(const std::string& key) const;
  double number(const std::string& key) const;
  bool boolean(const std::string& key) const;
  std::string text(const std::string& key) const;
  /// `count` integers, one for each direction; a single one stands for all of them.
  std::vector<std::int64_t> sizes(const std::string& key, std::size_t count) const;
  /// {height, width}
  std::vector<std::int64_t> pair(const std::string& key) const { return sizes(key, 2); }
  /// Whether the node has an attribute, other than null.
  bool has(const std::string& key) const;

 private:
  const Json& attribute(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, const char* wanted) const;

  const model::Node& node_;
  const Parameters& parameters_;
  Streams streams_;
};

/// Layer that fits among layers of this precision.
/// @throws Error(usage) for an op that no file of layers/ implements.
std::unique_ptr<Layer> make_layer(const Scope& scope, Precision precision = Precision::fp32);

}  // namespace dlrun::nn
