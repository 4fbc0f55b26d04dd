// SPDX-License-Identifier: Apache-2.0
// scale: x times a factor, fixed or learned, one for all or one for each place of a size (layer scale: Touvron et al.,
// ICCV 2021).
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_scale(Layer& layer) {
  layer.node.out = layer.in();
  layer.count_operations(1);
  const Json dim = layer.node.attributes["dim"];
  if (dim.is_null()) {
    layer.node.attributes.erase("dim");
    if (layer.flag("learned")) layer.add_tensor("weight", {1});
    return;
  }
  if (!layer.flag("learned")) {
    layer.fail("dim", "a fixed factor is one for all", "learned: true, or leave `dim` out");
  }
  if (dim.get<std::size_t>() >= layer.in().size()) {
    layer.fail("dim", fmt::format("the input {} has no dim {}", to_text(layer.in()), dim.get<std::size_t>()),
               "dim counts from 0, without the batch");
  }
  layer.add_tensor("weight", {layer.in()[dim.get<std::size_t>()]});
}

Shape guess_scale(const Node& node) { return node.in[0]; }

bool is_one(const Node& node) { return node.attributes["learned"] == false && node.attributes["factor"] == 1.0; }

}  // namespace

LayerRule scale() {
  LayerRule rule;
  rule.kind = {
      "scale",
      "x times a factor",
      {real("factor", "the first factor, or the only one").from(-1e6).to(1e6).must(),
       boolean("learned", "the factor is learned").with(false),
       integer("dim", "learned: one factor for each place of this size (0: each channel); by default one for all")
           .from(0)
           .to(3)}};
  rule.infer = infer_scale;
  rule.guess = guess_scale;
  rule.is_identity = is_one;
  return rule;
}

}  // namespace dlrun::model::layers
