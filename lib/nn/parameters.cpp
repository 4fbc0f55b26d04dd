// SPDX-License-Identifier: Apache-2.0
#include "nn/parameters.hpp"

#include <algorithm>

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "model/flat.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

using model::numel;
using model::padded;

std::int64_t flat_size(const model::Graph& graph) {
  std::int64_t total = 0;
  for (const model::Node& node : graph.nodes) {
    for (const model::Tensor& tensor : node.tensors) total += tensor.trainable ? padded(numel(tensor.shape)) : 0;
  }
  return total;
}

/// PyTorch counts batches in an int64; every other buffer is a float32.
at::Tensor make_buffer(const model::Tensor& tensor, at::Device device) {
  if (tensor.name == "num_batches_tracked") return at::zeros(tensor.shape, at::kLong);
  return at::zeros(tensor.shape, at::device(device).dtype(at::kFloat));
}

at::Tensor zeros(std::int64_t size, at::Device device) {
  return at::zeros({size}, at::device(device).dtype(at::kFloat));
}

}  // namespace

Parameters::Parameters(const model::Graph& graph, at::Device device)
    : values_(zeros(flat_size(graph), device)), grads_(zeros(flat_size(graph), device)) {
  std::int64_t offset = 0;
  for (const model::Node& node : graph.nodes) {
    for (const model::Tensor& tensor : node.tensors) {
      const std::string name = node.name + "." + tensor.name;
      if (find(name)) throw Error(ErrorKind::internal, "two tensors are called '" + name + "'");
      if (!tensor.trainable) {
        all_.push_back({name, make_buffer(tensor, device), {}, 0, false});
        continue;
      }
      const std::int64_t count = numel(tensor.shape);
      all_.push_back({name, values_.narrow(0, offset, count).view(tensor.shape),
                      grads_.narrow(0, offset, count).view(tensor.shape), offset, true});
      offset += padded(count);
    }
    for (const model::SharedTensor& tensor : node.shared) share(node.name + "." + tensor.name, tensor.of);
  }
}

Parameters Parameters::with_own_grads() const {
  Parameters twin = *this;
  twin.grads_ = at::zeros_like(grads_);
  for (Parameter& p : twin.all_) {
    if (p.trainable) p.grad = twin.grads_.narrow(0, p.offset, p.value.numel()).view(p.value.sizes());
  }
  for (Parameter& p : twin.shared_) {
    if (p.trainable) p.grad = at::zeros_like(p.value);
  }
  return twin;
}

void Parameters::share(const std::string& name, const std::string& of) {
  const Parameter* owner = find(of);
  if (!owner) throw Error(ErrorKind::internal, "'" + name + "' shares '" + of + "', which does not exist");
  Parameter shared = *owner;
  shared.name = name;
  if (shared.trainable) shared.grad = at::zeros(shared.value.sizes(), shared.value.options());
  shared_.push_back(std::move(shared));
}

namespace {

const Parameter* find_in(const std::vector<Parameter>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Parameter& p) { return p.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const Parameter* Parameters::find(const std::string& name) const { return find_in(all_, name); }
const Parameter* Parameters::find_shared(const std::string& name) const { return find_in(shared_, name); }

}  // namespace dlrun::nn
