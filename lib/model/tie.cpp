// SPDX-License-Identifier: Apache-2.0
#include "model/tie.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

namespace {

[[noreturn]] void fail(const Node& node, const std::string& message, const std::string& hint) {
  throw ModelError(node.path + ".share", fmt::format("'{}': {}", node.name, message), hint);
}

std::string names_of(const Node& node) {
  std::string names;
  for (const Tensor& tensor : node.tensors) names += (names.empty() ? "" : ", ") + tensor.name;
  return names.empty() ? "none" : names;
}

/// A layer that shares has no tensors to give: its owner has.
void require_owner(const Node& owner, const Node& node) {
  if (owner.shared.empty()) return;
  const std::string first = owner.shared[0].of.substr(0, owner.shared[0].of.rfind('.'));
  fail(node, fmt::format("'{}' itself uses the weights of another layer", owner.name),
       fmt::format("share with that one: share: {}", first));
}

}  // namespace

void tie_tensors(const Node& owner, Node& node) {
  require_owner(owner, node);
  std::vector<Tensor> own;
  for (const Tensor& tensor : node.tensors) {
    const auto found = std::find_if(owner.tensors.begin(), owner.tensors.end(),
                                    [&](const Tensor& t) { return t.name == tensor.name; });
    if (found == owner.tensors.end()) {
      own.push_back(tensor);
      continue;
    }
    if (found->shape != tensor.shape) {
      fail(node,
           fmt::format("its {} is {}, but that of '{}' is {}", tensor.name, to_text(tensor.shape), owner.name,
                       to_text(found->shape)),
           "layers that share weights have the same sizes");
    }
    node.shared.push_back({tensor.name, owner.name + '.' + tensor.name, tensor.trainable});
  }
  if (node.shared.empty()) {
    fail(node, fmt::format("it has no weights in common with '{}'", owner.name),
         fmt::format("it has {}, '{}' has {}", names_of(node), owner.name, names_of(owner)));
  }
  node.tensors = std::move(own);
}

}  // namespace dlrun::model
