// SPDX-License-Identifier: Apache-2.0
// group: a list of nodes under one name, once or several times over. Expanded before shapes are inferred (expand.cpp).
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

LayerRule group() {
  LayerRule rule;
  rule.kind = {"group",
               {{.name = "body", .type = "nodes", .required = true, .text = "the layers of the group"},
                {.name = "repeat",
                 .type = "int",
                 .low = 1,
                 .high = 1000,
                 .text = "the body this many times, each with its own weights; names get a number: blocks.0.conv1"}},
               "layers under one name, which may repeat"};
  return rule;
}

}  // namespace dlrun::model::layers
