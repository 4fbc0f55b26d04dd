// SPDX-License-Identifier: Apache-2.0
// permute and transpose: the same numbers with sizes in another order, as torch.permute and torch.transpose.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_permute(Layer& layer) {
  const Shape dims = layer.node.attributes["dims"].get<Shape>();
  Shape sorted = dims, wanted(layer.in().size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(wanted.begin(), wanted.end(), 0);
  if (sorted != wanted) {
    layer.fail("dims", fmt::format("{} is no order of the sizes of {}", to_text(dims), to_text(layer.in())),
               fmt::format("each of {} once", to_text(wanted)));
  }
  for (const std::int64_t dim : dims) layer.node.out.push_back(layer.in()[static_cast<std::size_t>(dim)]);
}

void infer_transpose(Layer& layer) {
  const Shape dims = layer.node.attributes["dims"].get<Shape>();
  Shape order(layer.in().size());
  std::iota(order.begin(), order.end(), 0);
  for (const std::int64_t dim : dims) {
    if (dim < static_cast<std::int64_t>(order.size())) continue;
    layer.fail("dims", fmt::format("the input {} has no dim {}", to_text(layer.in()), dim),
               "dims count from 0, without the batch");
  }
  std::swap(order[static_cast<std::size_t>(dims[0])], order[static_cast<std::size_t>(dims[1])]);
  layer.node.attributes["dims"] = order;
  for (const std::int64_t dim : order) layer.node.out.push_back(layer.in()[static_cast<std::size_t>(dim)]);
}

bool changes_nothing(const Node& node) {
  const Json& dims = node.attributes["dims"];
  return std::is_sorted(dims.begin(), dims.end());
}

LayerRule order(const char* op, options::Key dims, void (*infer)(Layer&), const char* text) {
  LayerRule rule;
  rule.kind = {op, text, {std::move(dims)}};
  rule.infer = infer;
  rule.is_identity = changes_nothing;
  return rule;
}

}  // namespace

LayerRule permute() {
  return order("permute",
               key(Form::shape, "dims", "which size of the input comes first, second, …, without the batch: [1, 2, 0]")
                   .from(0)
                   .must(),
               infer_permute, "sizes in another order");
}

LayerRule transpose() {
  return order(
      "transpose",
      key(Form::pair, "dims", "the two sizes that change places, without the batch").from(0).with(Json::array({0, 1})),
      infer_transpose, "two sizes change places");
}

}  // namespace dlrun::model::layers
