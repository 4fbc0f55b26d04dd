// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/attention.hpp"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include "nn/init.hpp"
#include "nn/layers/layers.hpp"
#include "nn/layers/rotary.hpp"
#include "nn/optional.hpp"

namespace dlrun::nn {

namespace {

/// [B, L, D] to [B, heads, L, D / heads].
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

/// Rows [begin, begin + count) times D of the projection in.
at::Tensor project(const Attention& attention, const at::Tensor& x, std::int64_t begin, std::int64_t count,
                   const Tensors& tensors) {
  const std::int64_t width = x.size(2);
  const auto rows = [&](const at::Tensor& all) { return all.narrow(0, begin * width, count * width); };
  const at::Tensor& bias = tensors[attention.prefix + "in_proj_bias"];
  return at::linear(x, rows(tensors[attention.prefix + "in_proj_weight"]),
                    bias.defined() ? std::optional<at::Tensor>(rows(bias)) : std::nullopt);
}

/// Mask of the answers that each position may see: bool, [B, 1, 1, S] or [B, 1, L, S]; with edges, these and the
/// diagonal; undefined: all, or `is_causal` says it.
at::Tensor visible(const Attention& attention, std::int64_t length, const MaskedSequence& answers, bool in_full) {
  at::Tensor seen;
  if (answers.edges.defined()) {
    const at::Tensor edges = at::ne(answers.edges.detach(), 0);
    seen = edges.logical_or(at::eye(length, edges.options())).unsqueeze(1);
  }
  if (answers.mask.defined()) seen = real_positions(answers.mask).unsqueeze(1).unsqueeze(1);
  if (!attention.is_causal || (!seen.defined() && !in_full)) return seen;
  const auto options = answers.values.options().dtype(at::kBool).requires_grad(false);
  const at::Tensor past = at::ones({length, answers.values.size(1)}, options).tril();
  return seen.defined() ? seen.logical_and(past) : past;
}

/// The long form, for dropout must come between softmax and product. A position that sees nothing gets zeros.
at::Tensor attend_with_dropout(const Attention& attention, const at::Tensor& q, const at::Tensor& k,
                               const at::Tensor& v, const at::Tensor& seen, const Pass& pass) {
  at::Tensor scores = at::matmul(q * (1.0 / std::sqrt(double(q.size(3)))), k.transpose(2, 3));
  if (seen.defined()) scores = scores.masked_fill(at::logical_not(seen), -1e30);
  at::Tensor weights = at::softmax(scores, -1);
  if (seen.defined()) weights = weights.masked_fill(at::logical_not(seen), 0);
  return at::matmul(attention.dropout.apply(weights, pass), v);
}

class MultiHeadAttention final : public AutogradLayer {
 public:
  explicit MultiHeadAttention(const Scope& scope)
      : AutogradLayer(scope),
        attention_{"", scope.integer("heads"), scope.boolean("causal"), rotary_of(scope),
                   DropoutMask(scope, "", scope.number("dropout"))} {}

  void initialise(const Streams& streams) override {
    init_attention(parameter("in_proj_weight"), find("in_proj_bias"), parameter("out_proj.weight"),
                   find("out_proj.bias"), streams);
  }

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) override {
    const std::vector<MaskedSequence> sequences = masked_sequences(inputs);
    return attend(attention_, sequences.front().values, sequences.back(), tensors, pass);
  }

 private:
  Attention attention_;
};

}  // namespace

std::optional<double> rotary_of(const Scope& scope) {
  return scope.has("rotary") ? std::optional(scope.number("rotary")) : std::nullopt;
}

at::Tensor attend(const Attention& attention, const at::Tensor& asks, const MaskedSequence& answers,
                  const Tensors& tensors, const Pass& pass) {
  const bool is_self = asks.is_same(answers.values);
  const at::Tensor first = project(attention, asks, 0, is_self ? 3 : 1, tensors);
  const at::Tensor rest =
      is_self ? first.narrow(2, asks.size(2), 2 * asks.size(2)) : project(attention, answers.values, 1, 2, tensors);
  at::Tensor q = split_heads(first.narrow(2, 0, asks.size(2)), attention.heads);
  at::Tensor k = split_heads(rest.narrow(2, 0, asks.size(2)), attention.heads);
  const at::Tensor v = split_heads(rest.narrow(2, asks.size(2), asks.size(2)), attention.heads);
  if (attention.rotary) {
    const Rotation rotation(q, *attention.rotary);
    q = rotation.apply(q);
    k = rotation.apply(k);
  }
  const bool drops = attention.dropout.is_on(pass);
  const at::Tensor seen = visible(attention, asks.size(1), answers, drops);
  const bool is_causal = attention.is_causal && !seen.defined();
  const at::Tensor heads = drops ? attend_with_dropout(attention, q, k, v, seen, pass)
                                 : at::scaled_dot_product_attention(q, k, v, optional(seen), 0, is_causal);
  const at::Tensor joined = heads.transpose(1, 2).reshape(asks.sizes());
  return at::linear(joined, tensors[attention.prefix + "out_proj.weight"],
                    tensors.optional(attention.prefix + "out_proj.bias"));
}

void init_attention(const Parameter& in_weight, const Parameter* in_bias, const Parameter& out_weight,
                    const Parameter* out_bias, const Streams& streams) {
  init_xavier(in_weight, streams);
  if (in_bias != nullptr) in_bias->value.zero_();
  init_affine(out_weight, nullptr, out_weight.value.size(1), streams);
  if (out_bias != nullptr) out_bias->value.zero_();
}

std::unique_ptr<Layer> make_multi_head_attention(const Scope& scope) {
  return std::make_unique<MultiHeadAttention>(scope);
}

}  // namespace dlrun::nn
