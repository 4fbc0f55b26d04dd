// SPDX-License-Identifier: Apache-2.0
// One object of a plugin's layer with its tensors, run as a network runs it.
#pragma once
#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "nn/layer.hpp"
#include "train/contracts/layer_cases.hpp"

namespace dlrun::train::contracts {

using Inputs = std::vector<at::Tensor>;

class TestedLayer {
 public:
  /// Tensors have their first numbers. REQUIRES: the case outlives the object.
  explicit TestedLayer(const LayerCase& at);

  at::Tensor forward(const Inputs& inputs, const nn::Pass& pass);
  /// After a run in training: gradients of the inputs that hold numbers; those of the tensors are in parameters().
  std::vector<at::Tensor> backward(const at::Tensor& grad);

  /// Adds a normal number to each number that is trained, so that none of them is zero.
  void stir();
  /// Takes over the numbers of all tensors.
  void load(const TestedLayer& other);
  /// Copies of all tensors, and back.
  std::vector<at::Tensor> tensors() const;
  void set(const std::vector<at::Tensor>& tensors);

  const std::vector<nn::Parameter>& parameters() const { return parameters_.all(); }
  const LayerCase& at() const { return case_; }

 private:
  const LayerCase& case_;
  nn::Parameters parameters_;
  std::unique_ptr<nn::Layer> layer_;
  Inputs inputs_;  ///< inputs of the last run
};

/// Name of a tensor as plugin.yaml gives it.
std::string local_name(const nn::Parameter& parameter);

/// Inputs of so many examples: normal numbers, or indices that are 0 or 1.
/// @param name         of the stream
/// @param are_indices  for each input
Inputs drawn_inputs(const LayerCase& at, std::int64_t examples, const std::string& name,
                    const std::vector<bool>& are_indices);

}  // namespace dlrun::train::contracts
