// SPDX-License-Identifier: Apache-2.0
// feature_tokenizer (t_j = x_j w_j + b_j), patch_embedding (a convolution whose step is its size) and class_token.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>

#include "nn/autograd_layer.hpp"
#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

/// @param token     [D]
/// @param sequence  [B, L, D]
/// @return          [B, L + 1, D]
at::Tensor put_first(const at::Tensor& token, const at::Tensor& sequence) {
  return at::cat({token.expand({sequence.size(0), 1, token.size(0)}), sequence}, 1);
}

class FeatureTokenizer final : public AutogradLayer {
 public:
  explicit FeatureTokenizer(const Scope& scope) : AutogradLayer(scope) {}

  /// First values as the paper's code: U(±1/sqrt(D)) for all three.
  void initialise(const Streams& streams) override {
    for (const char* name : {"weight", "bias", "cls_token"}) {
      const Parameter* tensor = find(name);
      if (tensor != nullptr) init_uniform(*tensor, 1.0 / std::sqrt(double(tensor->value.size(-1))), streams);
    }
  }

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    at::Tensor y = inputs[0].unsqueeze(2) * tensors["weight"];
    if (tensors["bias"].defined()) y = y + tensors["bias"];
    return tensors["cls_token"].defined() ? put_first(tensors["cls_token"], y) : y;
  }
};

class PatchEmbedding final : public AutogradLayer {
 public:
  explicit PatchEmbedding(const Scope& scope) : AutogradLayer(scope), k_(scope.pair("k")) {}

  void initialise(const Streams& streams) override {
    const Parameter& weight = parameter("proj.weight");
    init_affine(weight, find("proj.bias"), weight.value.numel() / weight.value.size(0), streams);
  }

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return at::conv2d(inputs[0], tensors["proj.weight"], tensors["proj.bias"], k_)
        .flatten(2)
        .transpose(1, 2)
        .contiguous();
  }

 private:
  std::vector<std::int64_t> k_;
};

class ClassToken final : public AutogradLayer {
 public:
  explicit ClassToken(const Scope& scope) : AutogradLayer(scope), std_(scope.number("std")) {}

  void initialise(const Streams& streams) override { init_normal(parameter("weight"), std_, streams); }

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass&) override {
    return put_first(tensors["weight"], inputs[0]);
  }

 private:
  double std_;
};

}  // namespace

std::unique_ptr<Layer> make_feature_tokenizer(const Scope& scope) { return std::make_unique<FeatureTokenizer>(scope); }
std::unique_ptr<Layer> make_patch_embedding(const Scope& scope) { return std::make_unique<PatchEmbedding>(scope); }
std::unique_ptr<Layer> make_class_token(const Scope& scope) { return std::make_unique<ClassToken>(scope); }

}  // namespace dlrun::nn
