// SPDX-License-Identifier: Apache-2.0
// group: a list of nodes under one name, once or several times over. Expanded before shapes are inferred (expand.cpp).
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

LayerRule group() {
  LayerRule rule;
  rule.kind = {
      "group",
      "layers under one name, which may repeat",
      {key(Form::nodes, "body", "the layers of the group").must(),
       integer("repeat", "the body this many times, each with its own weights; names get a number: blocks.0.conv1")
           .from(1)
           .to(1000)}};
  return rule;
}

}  // namespace dlrun::model::layers
