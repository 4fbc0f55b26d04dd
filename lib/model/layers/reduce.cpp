// SPDX-License-Identifier: Apache-2.0
// mean, sum and max over one or several sizes, as torch.mean, torch.sum and torch.amax.
#include <algorithm>

#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

/// `dim` ends as a sorted list.
Shape dims_of(Layer& layer) {
  Json& written = layer.node.attributes["dim"];
  Shape dims = written.is_number() ? Shape{written.get<std::int64_t>()} : written.get<Shape>();
  std::sort(dims.begin(), dims.end());
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end()) {
    layer.fail("dim", fmt::format("{} names a size twice", to_text(dims)));
  }
  if (dims.back() >= static_cast<std::int64_t>(layer.in().size())) {
    layer.fail("dim", fmt::format("the input {} has no dim {}", to_text(layer.in()), dims.back()),
               "dim counts from 0, without the batch");
  }
  written = dims;
  return dims;
}

void infer_reduce(Layer& layer) {
  const Shape dims = dims_of(layer);
  const bool keeps = layer.flag("keepdim");
  for (std::size_t i = 0; i < layer.in().size(); ++i) {
    const bool is_gone = std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) != dims.end();
    if (!is_gone || keeps) layer.node.out.push_back(is_gone ? 1 : layer.in()[i]);
  }
  if (layer.node.out.empty()) layer.node.out = {1};
  layer.node.operations = elements(layer.in());
}

LayerRule reduction(const char* op, const char* text) {
  LayerRule rule;
  rule.kind = {op,
               text,
               {integer("dim", "the sizes it is taken over, without the batch: 0, or [1, 2]")
                    .or_a(Form::shape)
                    .from(0)
                    .to(3)
                    .must(),
                boolean("keepdim", "leave a size of 1 in their place").with(false)}};
  rule.infer = infer_reduce;
  return rule;
}

}  // namespace

std::vector<LayerRule> reductions() {
  return {reduction("mean", "mean over sizes; [1, 2] of an image is the global average"),
          reduction("sum", "sum over sizes"), reduction("max", "greatest value over sizes")};
}

}  // namespace dlrun::model::layers
