// SPDX-License-Identifier: Apache-2.0
#include "nn/graph_step.hpp"

#include <algorithm>

namespace dlrun::nn {

namespace {

/// 0 where it is a view of an input.
std::int64_t own_bytes(const at::Tensor& output, const std::vector<at::Tensor>& inputs) {
  const bool is_view =
      std::any_of(inputs.begin(), inputs.end(), [&](const at::Tensor& x) { return output.is_alias_of(x); });
  return is_view ? 0 : std::int64_t(output.nbytes());
}

}  // namespace

at::Tensor GraphStep::forward(const std::vector<at::Tensor>& values, const Pass& pass, LayerCost* cost) const {
  std::vector<at::Tensor> read;
  read.reserve(inputs.size());
  for (const std::size_t slot : inputs) read.push_back(values[slot]);
  const Lap lap(cost != nullptr ? &cost->forward : nullptr);
  at::Tensor value = layer->forward(read, pass);
  if (cost != nullptr) cost->activation = own_bytes(value, read);
  return value;
}

std::vector<at::Tensor> GraphStep::backward(const at::Tensor& arrived) const {
  if (arrived.defined()) return layer->backward(arrived, wanted);
  for (const at::Tensor& own : grads) own.zero_();
  return {};
}

}  // namespace dlrun::nn
