// SPDX-License-Identifier: Apache-2.0
// The blocks of a transformer (Vaswani et al., NeurIPS 2017), torch.nn.TransformerEncoderLayer and
// TransformerDecoderLayer with batch_first. `from` names a sequence, for the decoder then the encoder's, each perhaps
// followed by its mask; `repeat` stacks them. Of a sequence [L, D] and edges [L, L] an encoder layer is that of a graph
// transformer (Dwivedi, Bresson 2021, arXiv:2012.09699): attention goes over the edges and to oneself. Beyond PyTorch:
// gated activations (Shazeer 2020, arXiv:2002.05202), whose linear1 is twice as wide.
#include "model/layers/transformer.hpp"
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void add_norm(Layer& layer, const std::string& name) {
  const std::int64_t width = layer.in()[1];
  layer.add_tensor(name + ".weight", {width});
  layer.add_tensor(name + ".bias", {width});
}

bool is_gated(const Layer& layer) {
  const Json& activation = layer.node.attributes["activation"];
  return activation == "reglu" || activation == "geglu" || activation == "swiglu";
}

/// linear1 and linear2; their operations.
std::int64_t add_feedforward(Layer& layer, const Sequence& sequence) {
  const std::int64_t hidden = layer.integer("feedforward");
  const std::int64_t rows = product(is_gated(layer) ? 2 : 1, hidden);
  layer.add_tensor("linear1.weight", {rows, sequence.width});
  layer.add_tensor("linear1.bias", {rows});
  layer.add_tensor("linear2.weight", {sequence.width, hidden});
  layer.add_tensor("linear2.bias", {sequence.width});
  return product(product(sequence.length, sequence.width), sum(rows, hidden));
}

/// @param are_nodes  the positions are nodes of a graph
void begin(Layer& layer, const std::vector<Sequence>& sequences, bool are_nodes = false) {
  check_heads(layer, sequences);
  check_rotary(layer, sequences[0], are_nodes ? "nodes of a graph have no order" : "");
  check_share(layer, "dropout");
  layer.derive("width", sequences[0].width);
  layer.node.out = layer.in();
  add_attention(layer, "self_attn.", true);
}

/// A second input [L, L] is no mask but the edges of a graph: position i sees itself and those that edges[i] is not 0
/// at.
std::vector<Sequence> encoder_sequence(const Layer& layer) {
  if (layer.node.in.size() == 1 || layer.in(0).size() != 2 || layer.in(1).size() != 2) return sequences_of(layer, 1, 1);
  const std::int64_t length = layer.in(0)[0];
  if (layer.in(1) != Shape{length, length}) {
    layer.fail("",
               fmt::format("the edges between {} positions are [{}, {}], but '{}' is {}", length, length, length,
                           layer.node.inputs[1], to_text(layer.in(1))),
               "from: [sequence, mask] or [sequence, edges]");
  }
  return {{0, false, length, layer.in(0)[1]}};
}

void infer_encoder(Layer& layer) {
  const std::vector<Sequence> sequences = encoder_sequence(layer);
  begin(layer, sequences, layer.node.in.size() > 1 && layer.in(1).size() == 2);
  layer.node.operations = sum(attention_operations(sequences[0], sequences[0]), add_feedforward(layer, sequences[0]));
  add_norm(layer, "norm1");
  add_norm(layer, "norm2");
}

void infer_decoder(Layer& layer) {
  const std::vector<Sequence> sequences = sequences_of(layer, 2, 2);
  begin(layer, sequences);
  add_attention(layer, "multihead_attn.", true);
  const std::int64_t attention =
      sum(attention_operations(sequences[0], sequences[0]), attention_operations(sequences[0], sequences[1]));
  layer.node.operations = sum(attention, add_feedforward(layer, sequences[0]));
  for (const char* norm : {"norm1", "norm2", "norm3"}) add_norm(layer, norm);
}

Shape guess_transformer(const Node& node) { return node.in.empty() ? Shape{} : node.in[0]; }

LayerRule block(const char* op, const char* text, bool is_causal) {
  LayerRule rule;
  rule.kind = {
      op,
      text,
      {integer("heads", "number of heads; divides the width").from(1).must(),
       integer("feedforward", "width between the two linear maps").from(1).must(),
       real("dropout", "share of zeros while training, at every place where PyTorch has one").from(0).to(1).with(0.1),
       choice("activation", "between the two linear maps; …glu: the first half, activated by the other",
              {"relu", "gelu", "silu", "reglu", "geglu", "swiglu"})
           .with("relu"),
       boolean("norm_first", "norms before attention and linear maps instead of after the sums").with(false),
       boolean("causal", "no position sees a later one").with(is_causal), rotary(),
       real("eps", "added to the norms' variance").from(0).to(1).with(1e-5),
       integer("width", "width of the sequence").from(1).inferred()}};
  rule.passes_first = true;
  rule.guess = guess_transformer;
  return rule;
}

}  // namespace

LayerRule transformer_encoder_layer() {
  LayerRule rule =
      block("transformer_encoder_layer", "attention, then two linear maps, each added to its input", false);
  rule.most_inputs = 2;
  rule.infer = infer_encoder;
  return rule;
}

LayerRule transformer_decoder_layer() {
  LayerRule rule =
      block("transformer_decoder_layer",
            "attention to itself (causal by default), then to an encoder's output, then two linear maps", true);
  rule.least_inputs = 2;
  rule.most_inputs = kMostSequenceInputs;
  rule.infer = infer_decoder;
  return rule;
}

}  // namespace dlrun::model::layers
