// SPDX-License-Identifier: Apache-2.0
// All weights of a model apart from it: to be put back, averaged, mixed.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace dlrun::train {

struct Weights {
  at::Tensor values;                ///< [n] float32, as Parameters::values()
  std::vector<at::Tensor> buffers;  ///< by number in Parameters::all(), undefined for what is trainable
};

Weights copy_of(const nn::Parameters& parameters);
Weights copy_of(const Weights& weights);
void put(const Weights& weights, const nn::Parameters& parameters);

/// A view of one tensor of them. @param number  in Parameters::all()
at::Tensor tensor_of(const Weights& weights, const nn::Parameters& parameters, std::size_t number);

/// The equal mean of the trainable tensors, summed in double in the order given; buffers are the first one's.
Weights mean_of(const std::vector<const Weights*>& all);

/// factor * a + other * b of the trainable tensors; buffers are b's.
Weights mixed(double factor, const Weights& a, double other, const Weights& b);

}  // namespace dlrun::train
