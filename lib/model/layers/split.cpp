// SPDX-License-Identifier: Apache-2.0
// Parts of a value: split takes one of several parts along a size (torch.split, torch.chunk), slice takes every step-th
// from start to before stop. Other parts are other nodes that read the same layer.
#include <algorithm>

#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

std::size_t dim_of(const Layer& layer) {
  const auto dim = static_cast<std::size_t>(layer.node.attributes["dim"].get<std::int64_t>());
  if (dim < layer.in().size()) return dim;
  layer.fail("dim", fmt::format("the input {} has no dim {}", to_text(layer.in()), dim),
             "dim counts from 0, without the batch");
}

struct Range {
  std::int64_t start, stop;
};

void check_index(const Layer& layer, std::int64_t count) {
  const std::int64_t index = layer.node.attributes["index"].get<std::int64_t>();
  if (index < count) return;
  layer.fail("index", fmt::format("there are {} parts, so the last is {}, not {}", count, count - 1, index));
}

Range one_of_equal(const Layer& layer, std::int64_t size) {
  const auto parts = layer.node.attributes["parts"].get<std::int64_t>();
  if (size % parts != 0) {
    layer.fail("parts", fmt::format("{} parts of one size do not make up {}", parts, size),
               "write the sizes out, e.g. sizes: [1, 2]");
  }
  check_index(layer, parts);
  const auto index = layer.node.attributes["index"].get<std::int64_t>();
  return {index * (size / parts), (index + 1) * (size / parts)};
}

Range one_of_sizes(const Layer& layer, std::int64_t size) {
  const Shape sizes = layer.node.attributes["sizes"].get<Shape>();
  std::int64_t total = 0;
  for (const std::int64_t part : sizes) total = sum(total, part);
  if (total != size) layer.fail("sizes", fmt::format("{} make up {}, not {}", to_text(sizes), total, size));
  check_index(layer, static_cast<std::int64_t>(sizes.size()));
  const auto index = layer.node.attributes["index"].get<std::size_t>();
  std::int64_t start = 0;
  for (std::size_t i = 0; i < index; ++i) start += sizes[i];
  return {start, start + sizes[index]};
}

/// Both end as a slice: the numbers from start to before stop.
void set_slice(Layer& layer, std::size_t dim, std::int64_t start, std::int64_t stop, std::int64_t step) {
  layer.node.attributes["start"] = start;
  layer.node.attributes["stop"] = stop;
  layer.node.out = layer.in();
  layer.node.out[dim] = (stop - start + step - 1) / step;
}

void infer_split(Layer& layer) {
  const std::size_t dim = dim_of(layer);
  const bool is_equal = layer.node.attributes["sizes"].is_null();
  if (is_equal == layer.node.attributes["parts"].is_null()) {
    layer.fail(is_equal ? "" : "sizes", "split needs either `parts` or `sizes`", "e.g. parts: 2");
  }
  const std::int64_t size = layer.in()[dim];
  const Range range = is_equal ? one_of_equal(layer, size) : one_of_sizes(layer, size);
  set_slice(layer, dim, range.start, range.stop, 1);
  for (const char* said : {"parts", "sizes", "index"}) layer.node.attributes.erase(said);
}

void infer_slice(Layer& layer) {
  const std::size_t dim = dim_of(layer);
  const std::int64_t size = layer.in()[dim];
  const std::int64_t start = layer.integer("start");
  const std::int64_t stop = layer.node.attributes["stop"].is_null() ? size : layer.integer("stop");
  if (stop > size) layer.fail("stop", fmt::format("{} is past the end of a size of {}", stop, size));
  if (start >= stop) {
    layer.fail("start", fmt::format("nothing lies from {} to before {}", start, stop), "start must be below stop");
  }
  set_slice(layer, dim, start, stop, layer.integer("step"));
}

options::Key dim() { return integer("dim", "along which size, without the batch").from(0).to(3).with(0); }

}  // namespace

LayerRule split() {
  LayerRule rule;
  rule.kind = {"split",
               "one of the parts of its input",
               {integer("parts", "number of parts of one size, in place of `sizes`").from(1),
                key(Form::integers, "sizes", "sizes of the parts, in place of `parts`").from(1),
                integer("index", "which part this is, from 0").from(0).must(), dim()}};
  rule.infer = infer_split;
  return rule;
}

LayerRule slice() {
  LayerRule rule;
  rule.kind = {
      "slice",
      "a range along one size",
      {integer("start", "the first").from(0).with(0), integer("stop", "one past the last; by default the end").from(1),
       integer("step", "take every step-th").from(1).with(1), dim()}};
  rule.infer = infer_slice;
  return rule;
}

}  // namespace dlrun::model::layers
