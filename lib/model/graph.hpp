// SPDX-License-Identifier: Apache-2.0
// The network as data: a graph of named, typed layers with shapes, no tensor in sight. Declared attributes (out, k, p)
// are given, derived ones (in, num_features, flattened width) are inferred (docs: ablation semantics, 3.1).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "options/key.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::model {

/// Sizes without the batch dimension: [C, H, W], [F], [L, F].
using Shape = std::vector<std::int64_t>;

/// A tensor that training changes (or a buffer such as running_mean), by PyTorch's name.
struct Tensor {
  std::string name;  ///< local, "weight"
  Shape shape;
  bool trainable = true;
};

/// A tensor of an earlier node that a node uses as its own (`share`): the same numbers, kept once.
struct SharedTensor {
  std::string name;  ///< local, as of the node that uses it
  std::string of;    ///< full name of the one it is, "embed.weight"
  bool trainable = true;
};

/// A layer with everything inferred. Nodes of groups, repeats and residual bodies are flattened: "block1.body.conv1".
struct Node {
  std::string name;                 ///< full dotted name
  std::string op;                   ///< registry name
  std::vector<std::string> inputs;  ///< full names of producers; the model's inputs go by their own names ("x")
  Json attributes;  ///< declared (defaults filled in) and derived, by name; the forms are at options::Variant
  std::vector<std::string> tags;
  std::string role;                  ///< "head" or empty
  std::vector<Shape> in;             ///< shape of each input
  Shape out;                         ///< empty only where a fault made it unknown
  std::vector<Tensor> tensors;       ///< tensors that the node owns
  std::vector<SharedTensor> shared;  ///< tensors of other nodes
  std::int64_t operations = 0;  ///< multiply-adds of one example's forward pass; an element-wise layer counts one each
  std::string path;             ///< dotted place in the spec it came from ("nodes.3.body.0"), for messages
};

/// One input of the model: numbers (float32), or indices (int64) in [0, vocabulary), which few kinds of layers read.
struct Input {
  Input() = default;
  // A shape alone is an input of numbers, and is written so: NOLINTNEXTLINE(google-explicit-constructor)
  Input(std::initializer_list<std::int64_t> sizes) : shape(sizes) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Input(Shape of, std::int64_t indices_below = 0) : shape(std::move(of)), vocabulary(indices_below) {}

  Shape shape;
  std::int64_t vocabulary = 0;  ///< 0: numbers
};

/// Widths and shapes that data and loss expect of an output.
struct Expected {
  std::int64_t classes = 0;  ///< 0: not classification
  std::int64_t targets = 1;  ///< width of a regression target
  Shape target_shape;        ///< classes: [] is one label an example, [L] one for each position
  /// Widths of output that the loss can use, the usual one first; empty: classes, or targets.
  std::vector<std::int64_t> output_widths = {};
  bool operator==(const Expected&) const = default;
};

/// Inputs and targets of the data; `classes`, `targets`, `outputs` and `auto` in a model are replaced from here.
struct Interface {
  std::map<std::string, Input> inputs;  ///< usually {"x": [1, 28, 28]}
  std::int64_t classes = 0;             ///< 0: not classification
  std::int64_t targets = 1;             ///< width of a regression target
  Shape target_shape;                   ///< classes: [] is one label an example, [L] one for each position
  /// Widths of output that the loss can use, the usual one first; empty: classes, or targets.
  std::vector<std::int64_t> output_widths = {};
  /// Targets of named outputs, by name; the four fields above are then of no output.
  std::map<std::string, Expected> outputs = {};

  /// Targets of an output; an unknown name has none.
  Expected expected(const std::string& output) const;
};

/// A value that is compared with a target.
struct Output {
  std::string name;           ///< empty: the only one, the value of the last layer
  std::string node;           ///< node whose value it is
  bool is_auxiliary = false;  ///< used in training only
};

struct Graph {
  Interface interface;
  std::vector<Node> nodes;          ///< topological order, as listed
  std::vector<Output> outputs;      ///< one without a name, or named ones by name
  std::int64_t parameters() const;  ///< trainable numbers
  std::int64_t operations() const;  ///< multiply-adds of one example's forward pass
  const Node* find(const std::string& name) const;
};

/// A fault in a model, with the place inside the model section it belongs to.
class ModelError : public Error {
 public:
  ModelError(std::string path, const std::string& message, std::string hint = {}, Part part = Part::value)
      : Error(ErrorKind::usage, message, std::move(hint)), path_(std::move(path)), part_(part) {}
  /// Dotted path within the `model:` section, e.g. "nodes.2.out".
  const std::string& path() const { return path_; }
  /// Part of the entry at path() that the fault is about.
  Part part() const { return part_; }

 private:
  std::string path_;
  Part part_;
};

/// Reads the `model:` section (normalised JSON), wires it, infers every shape. A node reads the one above it unless
/// `from` names others; names are looked for in the innermost list first, and "input" is what the list itself reads. A
/// node may read only what stands above it, so there are no cycles. A node without a name gets one from its op.
/// @throws ModelError at the first fault; `sink`, where given, collects all of them instead (the graph is then
/// partial).
Graph build(const Json& model, const Interface& interface, std::vector<ModelError>* sink = nullptr);

/// Structural hash: equal graphs (ops, wiring, attributes, names of tensors) have equal hashes. Names of layers without
/// tensors do not count (but a dropout's, which draws by it), nor does the order of the list, nor layers that change
/// nothing: identity, dropout with p 0, flatten of a vector. REQUIRES: a graph without faults.
std::string structural_hash(const Graph& graph);

/// Table of all ops for the schema, the help and messages. Beside its attributes every node may have
/// name, op, from, tags, role and repeat.
///
/// Content of Node::attributes after build(), for whoever makes tensors of it: every attribute of the table, with
/// - a pair always as [vertical, horizontal], also where one number was written (k, stride, pad, dilation; out of
///   adaptive_avgpool);
/// - `pad: same|valid` of conv2d resolved to a pair, `pad_end` (derived) the zeros to add at bottom and right on top of
///   it: [0, 0] but for `same` with an even kernel, where PyTorch too pads the end once more;
/// - `bias` always true or false (auto: true unless every consumer is a batchnorm or layernorm);
/// - `out` always a number; `shape` of reshape without -1; `stride` of a pool filled in.
/// groups, repeats and residuals are gone: `residual` leaves an `add` node of its own name (inputs: body, shortcut) and
/// for `shortcut: projection` a conv2d 1x1 or linear without bias named "<name>.shortcut". Layers inside are
/// "<name>.body.…" and "<name>.shortcut.…", or with `flat: true` "<name>.…".
const std::vector<options::Variant>& layer_kinds();

}  // namespace dlrun::model
