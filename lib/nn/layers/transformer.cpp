// SPDX-License-Identifier: Apache-2.0
// The blocks of a transformer, torch.nn.TransformerEncoderLayer and TransformerDecoderLayer: attention and two linear
// maps, each added to its input, with a norm after the sum or, with norm_first, before the branch.
#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

#include "nn/init.hpp"
#include "nn/layers/attention.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

using T = at::Tensor;

T activate(const std::string& name, const T& x) {
  const bool is_gated = name.size() > 3 && name.compare(name.size() - 3, 3, "glu") == 0;
  const T half = is_gated ? x.narrow(2, 0, x.size(2) / 2) : T();
  const T gate = is_gated ? x.narrow(2, x.size(2) / 2, x.size(2) / 2) : x;
  const T y = name == "relu" || name == "reglu"   ? at::relu(gate)
              : name == "gelu" || name == "geglu" ? at::gelu(gate)
                                                  : at::silu(gate);
  return is_gated ? half * y : y;
}

class Block final : public AutogradLayer {
 public:
  explicit Block(const Scope& scope)
      : AutogradLayer(scope),
        is_decoder_(scope.node().op == "transformer_decoder_layer"),
        norm_first_(scope.boolean("norm_first")),
        eps_(scope.number("eps")),
        activation_(scope.text("activation")),
        self_(attention_of(scope, "self_attn.", scope.boolean("causal"), rotary_of(scope))),
        cross_(attention_of(scope, "multihead_attn.", false, std::nullopt)),
        inside_(scope, "dropout", scope.number("dropout")) {
    for (const char* place : {"dropout1", "dropout2", "dropout3"}) {
      after_.emplace_back(scope, place, scope.number("dropout"));
    }
  }

  void initialise(const Streams& streams) override {
    init_attention_of("self_attn.", streams);
    if (is_decoder_) init_attention_of("multihead_attn.", streams);
    for (const char* name : {"linear1", "linear2"}) {
      const Parameter& weight = parameter(name + std::string(".weight"));
      init_affine(weight, find(name + std::string(".bias")), weight.value.size(1), streams);
    }
    for (int i = 1; i <= (is_decoder_ ? 3 : 2); ++i) {
      parameter("norm" + std::to_string(i) + ".weight").value.fill_(1);
      parameter("norm" + std::to_string(i) + ".bias").value.zero_();
    }
  }

 protected:
  T compute(c10::ArrayRef<T> inputs, const Tensors& tensors, const Pass& pass) override {
    const std::vector<MaskedSequence> sequences = masked_sequences(inputs);
    const T edges = !is_decoder_ && sequences.size() > 1 ? sequences[1].values : T();
    int number = 1;
    T x = sequences[0].values;
    const auto add_branch = [&](const auto& branch) {
      const T y = after_[std::size_t(number - 1)].apply(branch(norm_first_ ? norm(x, number, tensors) : x), pass);
      x = norm_first_ ? x + y : norm(x + y, number, tensors);
      ++number;
    };
    add_branch([&](const T& in) { return attend(self_, in, {in, sequences[0].mask, edges}, tensors, pass); });
    if (is_decoder_) add_branch([&](const T& in) { return attend(cross_, in, sequences[1], tensors, pass); });
    add_branch([&](const T& in) { return feed_forward(in, tensors, pass); });
    return x;
  }

 private:
  static Attention attention_of(const Scope& scope, const std::string& prefix, bool is_causal,
                                std::optional<double> rotary) {
    return {prefix, scope.integer("heads"), is_causal, rotary,
            DropoutMask(scope, prefix + "dropout", scope.number("dropout"))};
  }

  void init_attention_of(const std::string& prefix, const Streams& streams) const {
    init_attention(parameter(prefix + "in_proj_weight"), find(prefix + "in_proj_bias"),
                   parameter(prefix + "out_proj.weight"), find(prefix + "out_proj.bias"), streams);
  }

  T norm(const T& x, int number, const Tensors& tensors) const {
    const std::string name = "norm" + std::to_string(number);
    return at::layer_norm(x, {x.size(2)}, tensors[name + ".weight"], tensors[name + ".bias"], eps_);
  }

  T feed_forward(const T& x, const Tensors& tensors, const Pass& pass) const {
    const T wide = activate(activation_, at::linear(x, tensors["linear1.weight"], tensors["linear1.bias"]));
    return at::linear(inside_.apply(wide, pass), tensors["linear2.weight"], tensors["linear2.bias"]);
  }

  bool is_decoder_, norm_first_;
  double eps_;
  std::string activation_;
  Attention self_, cross_;
  DropoutMask inside_;
  std::vector<DropoutMask> after_;
};

}  // namespace

std::unique_ptr<Layer> make_transformer_block(const Scope& scope) { return std::make_unique<Block>(scope); }

}  // namespace dlrun::nn
