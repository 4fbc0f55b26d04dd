// SPDX-License-Identifier: Apache-2.0
// graph_attention (GAT; Velickovic et al., ICLR 2018, equations 1 to 6): each of N nodes takes the mean of its
// neighbours' features, weighted by attention. Inputs: features [N, F] and adjacency [N, N]; node i hears node j where
// adjacency[i][j] is not 0. Output [N, heads * out], or [N, out] where heads are averaged.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/layers/transformer.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void check_inputs(const Layer& layer) {
  const Shape& features = layer.in(0);
  if (features.size() != 2) {
    layer.fail("", fmt::format("graph_attention needs features [nodes, width], but '{}' is {}", layer.node.inputs[0],
                               to_text(features)));
  }
  if (layer.in(1) == Shape{features[0], features[0]}) return;
  layer.fail("",
             fmt::format("the adjacency of {} nodes is [{}, {}], but '{}' is {}", features[0], features[0], features[0],
                         layer.node.inputs[1], to_text(layer.in(1))),
             "from: [features, adjacency]");
}

void infer_graph_attention(Layer& layer) {
  check_inputs(layer);
  check_share(layer, "dropout");
  const std::int64_t nodes = layer.in()[0];
  const std::int64_t in = layer.in()[1];
  const std::int64_t heads = layer.integer("heads");
  const std::int64_t out = layer.width("out");
  const std::int64_t all = product(heads, out);
  layer.derive("in", in);
  layer.node.out = {nodes, layer.flag("concat") ? all : out};
  layer.add_tensor("lin.weight", {all, in});
  layer.add_tensor("att_src", {1, heads, out});
  layer.add_tensor("att_dst", {1, heads, out});
  if (layer.flag("bias")) layer.add_tensor("bias", {layer.node.out[1]});
  layer.node.operations = product(product(nodes, all), sum(in, nodes));
}

}  // namespace

LayerRule graph_attention() {
  LayerRule rule;
  rule.kind = {
      "graph_attention",
      "attention of each node to its neighbours; from: [features, adjacency]",
      {integer("out", "width of one head's output; classes, targets and outputs (either) come from the data")
           .or_word("classes")
           .or_word("targets")
           .or_word("outputs")
           .from(1)
           .must(),
       integer("heads", "number of heads").from(1).with(1),
       boolean("concat", "heads side by side; false: their mean, for a last layer").with(true),
       real("slope", "of the leaky ReLU, below 0").from(0).to(1).with(0.2),
       boolean("self_loops", "every node hears itself too").with(true), attention_dropout(),
       boolean("bias", "added at the end").with(true), integer("in", "width of a node's features").from(1).inferred()}};
  rule.least_inputs = 2;
  rule.most_inputs = 2;
  rule.passes_first = true;
  rule.infer = infer_graph_attention;
  return rule;
}

}  // namespace dlrun::model::layers
