// SPDX-License-Identifier: Apache-2.0
// Layers that make a sequence of tokens: feature_tokenizer of a row of numbers (Gorishniy et al., NeurIPS 2021, section
// 3.3), patch_embedding of an image (Dosovitskiy et al., ICLR 2021), class_token before a sequence.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/sequences.hpp"
#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model::layers {

namespace {

void infer_features(Layer& layer) {
  if (layer.in().size() != 1) {
    layer.fail("", fmt::format("feature_tokenizer needs a row of features, but gets {}", to_text(layer.in())));
  }
  const std::int64_t features = layer.in()[0];
  const std::int64_t out = layer.integer("out");
  const bool has_class = layer.flag("class_token");
  layer.derive("in", features);
  layer.node.out = {features + (has_class ? 1 : 0), out};
  layer.add_tensor("weight", {features, out});
  if (layer.flag("bias")) layer.add_tensor("bias", {features, out});
  if (has_class) layer.add_tensor("cls_token", {out});
  layer.count_operations(1);
}

void infer_patches(Layer& layer) {
  layer.require_image();
  const Pair k = layer.pair("k");
  for (int axis = 0; axis < 2; ++axis) {
    if (layer.in()[axis + 1] % k[axis] == 0) continue;
    layer.fail("k",
               fmt::format("patches of {} do not cover the image {}", to_text(Shape{k[0], k[1]}), to_text(layer.in())),
               "k must divide height and width");
  }
  const std::int64_t out = layer.integer("out");
  const std::int64_t channels = layer.in()[0];
  layer.derive("in", channels);
  layer.node.out = {product(layer.in()[1] / k[0], layer.in()[2] / k[1]), out};
  layer.add_tensor("proj.weight", {out, channels, k[0], k[1]});
  layer.add_tensor("proj.bias", {out});
  layer.count_operations(product(channels, product(k[0], k[1])));
}

void infer_class(Layer& layer) {
  const Sequence sequence = sequence_of(layer);
  layer.node.out = {sequence.length + 1, sequence.width};
  layer.add_tensor("weight", {sequence.width});
}

}  // namespace

LayerRule feature_tokenizer() {
  LayerRule rule;
  rule.kind = {
      "feature_tokenizer",
      "a token for each number of a row: the number times a learned vector",
      {integer("out", "width of a token").from(1).must(),
       boolean("bias", "a learned vector added to each feature's token").with(true),
       boolean("class_token", "put a learned token first, which {op: sequence_pool, mode: first} reads at the end")
           .with(true),
       integer("in", "number of features").from(1).inferred()}};
  rule.infer = infer_features;
  return rule;
}

LayerRule patch_embedding() {
  LayerRule rule;
  rule.kind = {"patch_embedding",
               "a token for each patch of an image, row by row",
               {integer("out", "width of a token").from(1).must(),
                integer("k", "height and width of a patch").or_a(Form::pair).from(1).must(),
                integer("in", "number of channels").from(1).inferred()}};
  rule.infer = infer_patches;
  return rule;
}

LayerRule class_token() {
  LayerRule rule;
  rule.kind = {"class_token",
               "a learned token put before a sequence",
               {real("std", "spread of its first values, std * N(0, 1)").from(0).to(10).with(0.02)}};
  rule.infer = infer_class;
  return rule;
}

}  // namespace dlrun::model::layers
