// SPDX-License-Identifier: Apache-2.0
// reshape and flatten: the same elements, row-major, under the sizes the graph inferred.
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

std::vector<std::int64_t> batched(std::int64_t batch, const model::Shape& shape) {
  std::vector<std::int64_t> sizes{batch};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return sizes;
}

class Reshape final : public UnaryLayer {
 public:
  explicit Reshape(const Scope& scope) : in_(scope.node().in[0]), out_(scope.node().out) {}

  at::Tensor forward(const at::Tensor& x, const Pass&) override { return x.reshape(batched(x.size(0), out_)); }

  at::Tensor backward(const at::Tensor& grad, bool wanted) override {
    return wanted ? grad.reshape(batched(grad.size(0), in_)) : at::Tensor();
  }

 private:
  model::Shape in_, out_;
};

}  // namespace

std::unique_ptr<Layer> make_reshape(const Scope& scope) { return std::make_unique<Reshape>(scope); }

}  // namespace dlrun::nn
