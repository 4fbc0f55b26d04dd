// SPDX-License-Identifier: Apache-2.0
// embedding: row x of the weight for every index x. padding_mask: 1 where an index is real.
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/ones.h>

#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

class Embedding final : public UnaryLayer {
 public:
  explicit Embedding(const Scope& scope)
      : weight_(scope.tensor("weight")),
        padding_(scope.has("padding_idx") ? scope.integer("padding_idx") : -1),
        std_(scope.number("std")) {}

  void initialise(const Streams& streams) override {
    init_normal(weight_, std_, streams);
    if (padding_ >= 0) weight_.value.select(0, padding_).zero_();
  }

  at::Tensor forward(const at::Tensor& x, const Pass& pass) override {
    if (pass.training) x_ = x;
    return at::embedding(weight_.value, x);
  }

  at::Tensor backward(const at::Tensor& grad, bool) override {
    weight_.grad.copy_(at::embedding_dense_backward(grad.contiguous(), x_, weight_.value.size(0), padding_, false));
    x_.reset();
    return {};
  }

 private:
  Parameter weight_;
  std::int64_t padding_;  ///< -1: none
  double std_;
  at::Tensor x_;
};

class PaddingMask final : public UnaryLayer {
 public:
  explicit PaddingMask(const Scope& scope) : index_(scope.integer("index")), before_(scope.integer("before")) {}

  at::Tensor forward(const at::Tensor& x, const Pass&) override {
    at::Tensor mask = at::ne(x, index_).to(at::kFloat);
    return before_ == 0 ? mask : at::cat({at::ones({x.size(0), before_}, mask.options()), mask}, 1);
  }

  at::Tensor backward(const at::Tensor&, bool) override { return {}; }

 private:
  std::int64_t index_, before_;
};

}  // namespace

std::unique_ptr<Layer> make_embedding(const Scope& scope) { return std::make_unique<Embedding>(scope); }
std::unique_ptr<Layer> make_padding_mask(const Scope& scope) { return std::make_unique<PaddingMask>(scope); }

}  // namespace dlrun::nn
