// SPDX-License-Identifier: Apache-2.0
// Parts, other orders and summaries of a value: split, slice, permute, transpose, mean, sum, max.
#include <ATen/ops/amax.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>

#include "nn/function_layer.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

using T = at::Tensor;

/// Sizes of an attribute, counted with the batch.
std::vector<std::int64_t> with_batch(const Scope& scope, const char* key) {
  std::vector<std::int64_t> dims = scope.node().attributes.at(key).get<std::vector<std::int64_t>>();
  for (std::int64_t& dim : dims) ++dim;
  return dims;
}

std::vector<std::int64_t> batched(const T& x, const model::Shape& shape) {
  std::vector<std::int64_t> sizes{x.size(0)};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return sizes;
}

}  // namespace

/// A part of a split has no step.
std::unique_ptr<Layer> make_slice(const Scope& scope) {
  const std::int64_t dim = scope.integer("dim") + 1, start = scope.integer("start"), stop = scope.integer("stop"),
                     step = scope.has("step") ? scope.integer("step") : 1;
  return make_function(scope, [=](const T& x) { return x.slice(dim, start, stop, step).contiguous(); });
}

std::unique_ptr<Layer> make_permute(const Scope& scope) {
  std::vector<std::int64_t> dims = with_batch(scope, "dims");
  dims.insert(dims.begin(), 0);
  return make_function(scope, [=](const T& x) { return x.permute(dims).contiguous(); });
}

std::unique_ptr<Layer> make_reduction(const Scope& scope) {
  const std::vector<std::int64_t> dims = with_batch(scope, "dim");
  const model::Shape out = scope.node().out;
  if (scope.node().op == "mean") {
    return make_function(scope, [=](const T& x) { return at::mean(x, dims).reshape(batched(x, out)); });
  }
  if (scope.node().op == "sum") {
    return make_function(scope, [=](const T& x) { return at::sum(x, dims).reshape(batched(x, out)); });
  }
  return make_function(scope, [=](const T& x) { return at::amax(x, dims).reshape(batched(x, out)); });
}

}  // namespace dlrun::nn
