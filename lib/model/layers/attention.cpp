// SPDX-License-Identifier: Apache-2.0
// multi_head_attention (Vaswani et al., NeurIPS 2017), torch.nn.MultiheadAttention with batch_first. Of one sequence
// [L, D] it is self-attention; of two, the first asks and the second, [S, D], answers. A mask [S] after the sequence
// that answers hides its padded positions.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/layers/transformer.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void check_causal(Layer& layer, const std::vector<Sequence>& sequences) {
  if (!layer.flag("causal") || sequences.size() == 1 || sequences[0].length == sequences[1].length) return;
  layer.fail("causal",
             fmt::format("position i would see the first i of {} positions, but there are {} that ask",
                         sequences[1].length, sequences[0].length),
             "causal attention needs sequences of one length");
}

void infer_attention(Layer& layer) {
  const std::vector<Sequence> sequences = sequences_of(layer, 1, 2);
  if (sequences.size() == 2 && sequences[0].is_masked) {
    layer.fail("from", "a mask of the sequence that asks has no effect", "put it after the one that answers");
  }
  check_heads(layer, sequences);
  check_share(layer, "dropout");
  check_causal(layer, sequences);
  check_rotary(layer, sequences[0],
               sequences.size() == 1 ? "" : "positions of two sequences are not distances from each other");
  layer.derive("width", sequences[0].width);
  layer.node.out = layer.in();
  add_attention(layer, "", layer.flag("bias"));
  layer.node.operations = attention_operations(sequences.front(), sequences.back());
}

Shape guess_attention(const Node& node) { return node.in.empty() ? Shape{} : node.in[0]; }

}  // namespace

options::Key attention_dropout() {
  return real("dropout", "share of attention weights set to 0 while training").from(0).to(1).with(0.0);
}

options::Key rotary() {
  return real("rotary", "base of rotary positions of queries and keys, 10000 in the paper; default: no positions")
      .from(1);
}

void check_rotary(Layer& layer, const Sequence& sequence, const std::string& reason) {
  Json& attributes = layer.node.attributes;
  if (attributes["rotary"].is_null()) {
    attributes.erase("rotary");
    return;
  }
  if (!reason.empty()) layer.fail("rotary", reason, "remove it");
  const std::int64_t width = sequence.width / layer.integer("heads");
  if (width % 2 == 0) return;
  layer.fail("rotary", fmt::format("rotary positions turn pairs of numbers, but each head sees {}", width),
             "width / heads must be even");
}

void check_share(const Layer& layer, const char* attribute) {
  if (layer.real(attribute) >= 1) layer.fail(attribute, "with 1 nothing is left", "it must be below 1");
}

void check_heads(const Layer& layer, const std::vector<Sequence>& sequences) {
  const std::int64_t width = sequences.front().width;
  const std::int64_t heads = layer.integer("heads");
  if (width % heads != 0) {
    layer.fail("heads", fmt::format("{} heads do not divide the width {}", heads, width),
               "each head sees width / heads numbers");
  }
  if (sequences.back().width != width) {
    layer.fail("", fmt::format("the sequences are {} and {} wide", width, sequences.back().width),
               "bring them to one width before, by {op: linear}");
  }
}

void add_attention(Layer& layer, const std::string& prefix, bool has_bias) {
  const std::int64_t width = layer.in()[1];
  layer.add_tensor(prefix + "in_proj_weight", {product(3, width), width});
  if (has_bias) layer.add_tensor(prefix + "in_proj_bias", {product(3, width)});
  layer.add_tensor(prefix + "out_proj.weight", {width, width});
  if (has_bias) layer.add_tensor(prefix + "out_proj.bias", {width});
}

std::int64_t attention_operations(const Sequence& asks, const Sequence& answers) {
  const std::int64_t square = product(asks.width, asks.width);
  const std::int64_t projections = product(square, sum(product(2, asks.length), product(2, answers.length)));
  return sum(projections, product(product(2, asks.width), product(asks.length, answers.length)));
}

LayerRule multi_head_attention() {
  LayerRule rule;
  rule.kind = {"multi_head_attention",
               "attention of one sequence to itself, or to a second one",
               {integer("heads", "number of heads; divides the width").from(1).must(),
                boolean("causal", "no position sees a later one").with(false), rotary(), attention_dropout(),
                boolean("bias", "biases of the projections").with(true),
                integer("width", "width of the sequence").from(1).inferred()}};
  rule.most_inputs = kMostSequenceInputs;
  rule.passes_first = true;
  rule.infer = infer_attention;
  rule.guess = guess_attention;
  return rule;
}

}  // namespace dlrun::model::layers
