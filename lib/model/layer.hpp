// SPDX-License-Identifier: Apache-2.0
// A layer kind as this room has it: its attributes and a rule that turns input shapes into an output shape, tensors and
// a count of operations. One file per kind in layers/, one visible list in registry.cpp.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "model/graph.hpp"

namespace dlrun::model {

using options::boolean;
using options::choice;
using options::Form;
using options::integer;
using options::key;
using options::real;

/// [vertical, horizontal]
using Pair = std::array<std::int64_t, 2>;

/// One node while its shapes are inferred, as a rule sees and sets it.
class Layer {
 public:
  /// @param outputs  of the model, by name, that the node leads to
  Layer(Node& node, const Interface& interface, const std::set<std::string>& outputs, bool is_before_norm)
      : node(node), interface_(interface), outputs_(outputs), is_before_norm_(is_before_norm) {}

  Node& node;

  const Shape& in(std::size_t index = 0) const { return node.in[index]; }
  /// Indices of input `index` lie below it; 0: the input holds numbers.
  std::int64_t vocabulary(std::size_t index = 0) const;
  std::int64_t integer(const char* attribute) const { return node.attributes[attribute].get<std::int64_t>(); }
  double real(const char* attribute) const { return node.attributes[attribute].get<double>(); }
  bool flag(const char* attribute) const { return node.attributes[attribute].get<bool>(); }
  std::string text(const char* attribute) const { return node.attributes[attribute].get<std::string>(); }
  Pair pair(const char* attribute) const { return node.attributes[attribute].get<Pair>(); }

  /// A width that may be written `classes`, `targets` or `outputs` (either): replaced by the data's number, of several
  /// outputs by that of the one the node leads to.
  std::int64_t width(const char* attribute);
  /// `count` numbers, one for each direction: a single one stands for all of them, and is written so into the
  /// attributes. @throws ModelError where a list has another length.
  Shape sizes(const char* attribute, std::size_t count);
  /// A bias that may be `auto`: replaced by true, or by false where only norms follow.
  bool bias();
  /// Sets a derived attribute. Where a person wrote it, it is an assertion: a difference is a fault.
  void derive(const char* attribute, const Json& value);
  void add_tensor(const std::string& name, Shape shape, bool trainable = true);
  /// `each` operations for every element of the output.
  void count_operations(std::int64_t each);

  /// Ends the rule. `attribute` may be empty: the fault is the node's.
  [[noreturn]] void fail(const std::string& attribute, const std::string& message, const std::string& hint = {}) const;
  /// @throws ModelError unless the input has three sizes [C, H, W].
  void require_image() const;
  /// Number of directions after the input's channels: 1 for [C, L], 2 for [C, H, W], 3 for [C, D, H, W].
  /// @throws ModelError unless there are `least` to 3.
  std::size_t directions(std::size_t least = 1) const;

 private:
  Expected expected(const char* attribute) const;

  const Interface& interface_;
  const std::set<std::string>& outputs_;
  bool is_before_norm_;
};

struct LayerRule {
  options::Variant kind;  ///< the op as its name, the attributes as its table
  std::size_t least_inputs = 1;
  std::size_t most_inputs = 1;
  /// Sets out, tensors, operations and derived attributes. @throws ModelError. Null for composites, which expand.
  std::function<void(Layer&)> infer;
  /// The output shape to go on with after a fault (some inputs may be unknown, that is empty); null: unknown.
  std::function<Shape(const Node&)> guess;
  /// True where the node changes nothing (dropout with p 0), so that the hash looks through it; null: never.
  bool (*is_identity)(const Node&) = nullptr;
  bool reads_indices = false;   ///< takes inputs of indices (tokens, categories) as well as numbers
  bool is_random = false;       ///< draws by its name, which is then part of the hash
  bool is_commutative = false;  ///< inputs may change places
  bool passes_first = false;    ///< later inputs say which parts of the first count: masks, edges, a memory
  bool is_norm = false;         ///< makes a bias before it superfluous
  bool is_plugin = false;       ///< declared by a plugin, whose name it has
};

const std::vector<LayerRule>& layer_rules();
/// Null where there is none.
const LayerRule* find_rule(const std::string& op);

}  // namespace dlrun::model
