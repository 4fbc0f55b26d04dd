// SPDX-License-Identifier: Apache-2.0
// embedding: a learned vector for every index, torch.nn.Embedding: indices [L] to [L, out].
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

/// Number of the vectors: the data's vocabulary, or a number that is not below it.
std::int64_t count_of(Layer& layer) {
  const std::int64_t vocabulary = layer.vocabulary();
  if (vocabulary == 0) {
    layer.fail("", fmt::format("embedding reads indices, but '{}' holds numbers", layer.node.inputs[0]),
               "numbers go into {op: linear} or {op: feature_tokenizer}");
  }
  Json& count = layer.node.attributes["num_embeddings"];
  if (count.is_string()) count = vocabulary;
  if (count.get<std::int64_t>() < vocabulary) {
    layer.fail("num_embeddings",
               fmt::format("the indices of '{}' go up to {}, beyond the {} embeddings", layer.node.inputs[0],
                           vocabulary - 1, count.get<std::int64_t>()),
               "write `vocabulary` for the data's own number");
  }
  return count.get<std::int64_t>();
}

void infer_embedding(Layer& layer) {
  const std::int64_t count = count_of(layer);
  const Json& padding = layer.node.attributes["padding_idx"];
  if (!padding.is_null() && padding.get<std::int64_t>() >= count) {
    layer.fail("padding_idx",
               fmt::format("there is no index {} among {} embeddings", padding.get<std::int64_t>(), count),
               "it counts from 0");
  }
  layer.node.out = layer.in();
  layer.node.out.push_back(layer.integer("out"));
  layer.add_tensor("weight", {count, layer.integer("out")});
}

Shape guess_embedding(const Node& node) {
  const Json& out = node.attributes.value("out", Json());
  if (!out.is_number_integer() || node.in.empty() || node.in[0].empty()) return {};
  Shape shape = node.in[0];
  shape.push_back(out.get<std::int64_t>());
  return shape;
}

}  // namespace

LayerRule embedding() {
  LayerRule rule;
  rule.kind = {"embedding",
               "a learned vector for every index",
               {integer("out", "width of a vector").from(1).must(),
                integer("num_embeddings", "how many vectors; vocabulary: as many as the data's indices")
                    .or_word("vocabulary")
                    .from(1)
                    .with("vocabulary"),
                real("std", "spread of the first values, std * N(0, 1); 0.02 where a head shares them")
                    .from(0)
                    .to(100)
                    .with(1.0),
                integer("padding_idx", "the index whose vector stays at zero").from(0)}};
  rule.infer = infer_embedding;
  rule.guess = guess_embedding;
  rule.reads_indices = true;
  return rule;
}

}  // namespace dlrun::model::layers
