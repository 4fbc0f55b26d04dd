// SPDX-License-Identifier: Apache-2.0
#include "model/sequences.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

namespace {

void fail_no_sequence(const Layer& layer, std::size_t index) {
  const bool is_vector = layer.in(index).size() == 1;
  layer.fail("",
             fmt::format("{} needs a sequence [length, width], but '{}' is {}", layer.node.op, layer.node.inputs[index],
                         to_text(layer.in(index))),
             is_vector ? "a mask follows the sequence it belongs to: from: [sequence, mask]"
                       : "make one of it before, e.g. by {op: reshape, shape: [length, width]}");
}

void add_mask(const Layer& layer, std::size_t index, std::vector<Sequence>& found) {
  if (found.empty() || found.back().is_masked) fail_no_sequence(layer, index);
  if (layer.in(index)[0] != found.back().length) {
    layer.fail("", fmt::format("the mask '{}' is {}, but '{}' has {} positions", layer.node.inputs[index],
                               to_text(layer.in(index)), layer.node.inputs[found.back().index], found.back().length));
  }
  found.back().is_masked = true;
}

}  // namespace

std::vector<Sequence> sequences_of(const Layer& layer, std::size_t least, std::size_t most) {
  std::vector<Sequence> found;
  for (std::size_t i = 0; i < layer.node.in.size(); ++i) {
    const Shape& shape = layer.in(i);
    if (shape.size() == 1) {
      add_mask(layer, i, found);
    } else if (shape.size() == 2) {
      found.push_back({i, false, shape[0], shape[1]});
    } else {
      fail_no_sequence(layer, i);
    }
  }
  if (found.size() < least || found.size() > most) {
    layer.fail("from", fmt::format("{} takes {}, not {}", layer.node.op,
                                   least == most ? fmt::format("{} sequence{}", most, most == 1 ? "" : "s")
                                                 : fmt::format("{} or {} sequences", least, most),
                                   found.size()));
  }
  return found;
}

bool is_selection(const Node& node, std::size_t input) {
  const LayerRule* rule = find_rule(node.op);
  if (input == 0 || rule == nullptr || !rule->passes_first) return false;
  const bool has_edges = node.op == "graph_attention" || node.op == "transformer_encoder_layer";
  return has_edges || node.in[input].size() == 1;  // else it is a second sequence
}

}  // namespace dlrun::model
