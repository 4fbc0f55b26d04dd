// SPDX-License-Identifier: Apache-2.0
// lstm and gru over a sequence [L, F], torch.nn.LSTM and torch.nn.GRU with batch_first: the output at every position
// [L, H * directions], or the last one [H * directions]. With a mask a sequence ends at its last real position, as a
// packed one does.
#include <string>

#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/sequences.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

/// The tensors of one layer in one direction, PyTorch's names and order.
void add_cell(Layer& layer, std::int64_t gates, std::int64_t in, const std::string& suffix) {
  const std::int64_t hidden = layer.integer("hidden");
  const std::int64_t rows = product(gates, hidden);
  layer.add_tensor("weight_ih" + suffix, {rows, in});
  layer.add_tensor("weight_hh" + suffix, {rows, hidden});
  if (!layer.flag("bias")) return;
  layer.add_tensor("bias_ih" + suffix, {rows});
  layer.add_tensor("bias_hh" + suffix, {rows});
}

void check_dropout(Layer& layer) {
  if (layer.real("dropout") >= 1) layer.fail("dropout", "with 1 nothing is left", "it must be below 1");
  if (layer.real("dropout") > 0 && layer.integer("layers") == 1) {
    layer.fail("dropout", "it acts between layers, and there is one", "add a {op: dropout} after it, or layers: 2");
  }
}

void infer_recurrent(Layer& layer, std::int64_t gates) {
  const Sequence sequence = sequence_of(layer);
  check_dropout(layer);
  layer.derive("in", sequence.width);
  const std::int64_t hidden = layer.integer("hidden");
  const std::int64_t directions = layer.flag("bidirectional") ? 2 : 1;
  std::int64_t in = sequence.width;
  std::int64_t each = 0;
  for (std::int64_t i = 0; i < layer.integer("layers"); ++i) {
    add_cell(layer, gates, in, fmt::format("_l{}", i));
    if (directions == 2) add_cell(layer, gates, in, fmt::format("_l{}_reverse", i));
    each = sum(each, product(product(gates * directions, hidden), sum(in, hidden)));
    in = product(hidden, directions);
  }
  layer.node.operations = product(each, sequence.length);
  layer.node.out = layer.node.attributes["output"] == "last" ? Shape{in} : Shape{sequence.length, in};
}

void infer_lstm(Layer& layer) { infer_recurrent(layer, 4); }
void infer_gru(Layer& layer) { infer_recurrent(layer, 3); }

LayerRule recurrent(const char* op, const char* text) {
  LayerRule rule;
  rule.kind = {
      op,
      text,
      {integer("hidden", "width of the state").from(1).must(),
       integer("layers", "how many on top of each other").from(1).to(64).with(1),
       boolean("bidirectional", "a second one reads from the end; their outputs side by side").with(false),
       real("dropout", "share of zeros between the layers while training").from(0).to(1).with(0.0),
       choice("output", "last: what the last position says (and, read from the end, the first)", {"sequence", "last"})
           .with("sequence"),
       boolean("bias", "with the two biases of each layer").with(true),
       integer("in", "number of input features").from(1).inferred()}};
  rule.most_inputs = 2;
  rule.passes_first = true;
  return rule;
}

}  // namespace

LayerRule lstm() {
  LayerRule rule = recurrent("lstm", "long short-term memory over a sequence");
  rule.infer = infer_lstm;
  return rule;
}

LayerRule gru() {
  LayerRule rule = recurrent("gru", "gated recurrent units over a sequence");
  rule.infer = infer_gru;
  return rule;
}

}  // namespace dlrun::model::layers
