// SPDX-License-Identifier: Apache-2.0
#include "model/layer.hpp"

#include <utility>

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

void Layer::fail(const std::string& attribute, const std::string& message, const std::string& hint) const {
  throw ModelError(attribute.empty() ? node.path : node.path + '.' + attribute,
                   fmt::format("'{}': {}", node.name, message), hint);
}

std::int64_t Layer::vocabulary(std::size_t index) const {
  const auto input = interface_.inputs.find(node.inputs.at(index));
  return input == interface_.inputs.end() ? 0 : input->second.vocabulary;
}

/// Targets of the outputs that the node leads to, where they agree.
Expected Layer::expected(const char* attribute) const {
  if (outputs_.empty() && interface_.outputs.empty()) return interface_.expected("");
  if (outputs_.empty()) {
    fail(attribute, fmt::format("it leads to no output, so {} are not known", node.attributes[attribute].dump()),
         "name it among the outputs, or write the number");
  }
  Expected first = interface_.expected(*outputs_.begin());
  for (const std::string& name : outputs_) {
    const Expected other = interface_.expected(name);
    if (other.classes == first.classes && other.targets == first.targets) continue;
    fail(attribute, fmt::format("it leads to the outputs '{}' and '{}', whose targets differ", *outputs_.begin(), name),
         "write the number");
  }
  return first;
}

std::int64_t Layer::width(const char* attribute) {
  Json& value = node.attributes[attribute];
  if (value.is_number()) return value.get<std::int64_t>();
  const Expected expected = this->expected(attribute);
  if (value.is_string() && value == "outputs") value = expected.classes > 0 ? "classes" : "targets";
  if (value.is_string() && value == "classes") {
    if (expected.classes == 0) {
      fail(attribute, "the data has no classes, its target is a number", "write `targets` for a regression");
    }
    value = expected.classes;
  }
  if (value.is_string() && value == "targets") {
    if (expected.classes > 0) {
      fail(attribute, fmt::format("the data has no numeric targets, but {} classes", expected.classes),
           "write `classes`");
    }
    value = expected.targets;
  }
  return value.get<std::int64_t>();
}

Shape Layer::sizes(const char* attribute, std::size_t count) {
  Json& value = node.attributes[attribute];
  if (value.is_number()) value = Shape(count, value.get<std::int64_t>());
  if (value.size() != count) {
    fail(attribute,
         fmt::format("'{}' has {} numbers, but the input {} has {} directions", attribute, value.size(), to_text(in()),
                     count),
         "one number for all of them, or a list with one for each");
  }
  return value.get<Shape>();
}

bool Layer::bias() {
  Json& value = node.attributes["bias"];
  if (value.is_string()) value = !is_before_norm_;
  return value.get<bool>();
}

void Layer::derive(const char* attribute, const Json& value) {
  Json& known = node.attributes[attribute];
  if (!known.is_null() && known != value) {
    fail(attribute,
         fmt::format("the spec says {}: {}, but it is {}", attribute, dlrun::to_text(known), dlrun::to_text(value)),
         fmt::format("`{}` is inferred: remove it, or correct what comes before", attribute));
  }
  known = value;
}

void Layer::add_tensor(const std::string& name, Shape shape, bool trainable) {
  if (elements(shape) > kMostElements) {
    fail("", fmt::format("'{}' would have the shape {}, more than 2^31 numbers", name, to_text(shape)));
  }
  node.tensors.push_back({name, std::move(shape), trainable});
}

void Layer::count_operations(std::int64_t each) { node.operations = product(each, elements(node.out)); }

void Layer::require_image() const {
  if (in().size() == 3) return;
  const bool is_vector = in().size() == 1;
  fail("", fmt::format("{} needs an input [channels, height, width], but gets {}", node.op, to_text(in())),
       is_vector ? "make an image of it before: {op: reshape, shape: [1, height, width]}" : "");
}

std::size_t Layer::directions(std::size_t least) const {
  const std::size_t count = in().size() - 1;
  if (count >= least && count <= 3) return count;
  fail("",
       fmt::format("{} needs an input [channels, length], [channels, height, width] or [channels, depth, height, "
                   "width], but gets {}",
                   node.op, to_text(in())),
       count == 0 ? "give it channels before: {op: reshape, shape: [1, length]}" : "");
}

}  // namespace dlrun::model
