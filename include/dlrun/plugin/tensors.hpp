// SPDX-License-Identifier: Apache-2.0
// Helpers of the kinds of plugins that compute with libtorch.
#pragma once
#include <ATen/ATen.h>

#include <dlrun/plugin/random.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace dlrun::plugin {

/// Sizes of one example, without the batch.
using Sizes = std::vector<std::int64_t>;

/// Tensors of a layer by the names that plugin.yaml gives them.
class Tensors {
 public:
  explicit Tensors(std::map<std::string, at::Tensor> all) : all_(std::move(all)) {}

  /// Whether the layer has it: `when:` of plugin.yaml may leave one out.
  bool has(const std::string& name) const { return all_.contains(name); }
  /// @throws std::out_of_range where the layer has none of this name
  const at::Tensor& operator[](const std::string& name) const {
    const auto found = all_.find(name);
    if (found == all_.end()) throw std::out_of_range("plugin.yaml gives the layer no tensor '" + name + "'");
    return found->second;
  }

 private:
  std::map<std::string, at::Tensor> all_;
};

/// Sets every number of a tensor on the CPU, in order, to what `next` returns.
template <class Next>
void fill(at::Tensor& tensor, Next next) {
  at::Tensor drawn = at::empty(tensor.sizes(), at::TensorOptions().dtype(at::kFloat));
  float* values = drawn.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < drawn.numel(); ++i) values[i] = static_cast<float>(next());
  tensor.copy_(drawn);
}

}  // namespace dlrun::plugin
