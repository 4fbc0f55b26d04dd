// SPDX-License-Identifier: Apache-2.0
// Kinds of several inputs: add, multiply (a size of 1 is stretched), concat (along one size).
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mul.h>

#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

class Add final : public Layer {
 public:
  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass&) override {
    shapes_.clear();
    for (const at::Tensor& input : inputs) shapes_.push_back(input.sizes().vec());
    at::Tensor sum = at::add(inputs[0], inputs[1]);
    for (std::size_t i = 2; i < inputs.size(); ++i) sum = at::add(sum, inputs[i]);
    return sum;
  }

  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) override {
    std::vector<at::Tensor> grads(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) grads[i] = grad.sizes() == shapes_[i] ? grad : grad.sum_to_size(shapes_[i]);
    }
    return grads;
  }

 private:
  std::vector<std::vector<std::int64_t>> shapes_;
};

class Multiply final : public Layer {
 public:
  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) override {
    if (pass.training) inputs_ = inputs.vec();
    at::Tensor product = at::mul(inputs[0], inputs[1]);
    for (std::size_t i = 2; i < inputs.size(); ++i) product = at::mul(product, inputs[i]);
    return product;
  }

  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) override {
    std::vector<at::Tensor> grads(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) grads[i] = at::mul(grad, others(i)).sum_to_size(inputs_[i].sizes());
    }
    inputs_.clear();
    return grads;
  }

 private:
  /// The product of all inputs but number `i`.
  at::Tensor others(std::size_t i) const {
    at::Tensor product;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (k != i) product = product.defined() ? at::mul(product, inputs_[k]) : inputs_[k];
    }
    return product;
  }

  std::vector<at::Tensor> inputs_;
};

class Concat final : public Layer {
 public:
  explicit Concat(const Scope& scope) : dim_(scope.integer("dim") + 1) {
    for (const model::Shape& shape : scope.node().in) sizes_.push_back(shape[std::size_t(dim_ - 1)]);
  }

  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass&) override { return at::cat(inputs, dim_); }

  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) override {
    std::vector<at::Tensor> grads(wanted.size());
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < wanted.size(); begin += sizes_[i++]) {
      if (wanted[i]) grads[i] = grad.narrow(dim_, begin, sizes_[i]).contiguous();
    }
    return grads;
  }

 private:
  std::int64_t dim_;  ///< dimension, the batch counted
  std::vector<std::int64_t> sizes_;
};

}  // namespace

std::unique_ptr<Layer> make_add(const Scope&) { return std::make_unique<Add>(); }
std::unique_ptr<Layer> make_multiply(const Scope&) { return std::make_unique<Multiply>(); }
std::unique_ptr<Layer> make_concat(const Scope& scope) { return std::make_unique<Concat>(scope); }

}  // namespace dlrun::nn
