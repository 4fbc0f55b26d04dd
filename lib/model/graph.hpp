// SPDX-License-Identifier: Apache-2.0
// The network as data: a graph of named, typed layers with shapes, no tensor in sight. Declared attributes (out, k, p)
// are given, derived ones (in, num_features, flattened width) are inferred (docs: ablation semantics, 3.1).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::model {

/// Sizes without the batch dimension: [C, H, W], [F], [L, F].
using Shape = std::vector<std::int64_t>;

/// A tensor that training changes (or a buffer such as running_mean), by PyTorch's name.
struct Tensor {
  std::string name;      ///< local, "weight"
  Shape shape;
  bool trainable = true;
};

/// A layer with everything inferred. Nodes of groups, repeats and residual bodies are flattened: "block1.body.conv1".
struct Node {
  std::string name;              ///< full dotted name
  std::string op;                ///< registry name
  std::vector<std::string> inputs;  ///< full names of producers; the model's inputs go by their own names ("x")
  Json attributes;               ///< declared (defaults filled in) and derived, by name
  std::vector<std::string> tags;
  std::string role;              ///< "head" or empty
  std::vector<Shape> in;         ///< shape of each input
  Shape out;
  std::vector<Tensor> tensors;
  std::int64_t operations = 0;   ///< multiply-adds of one example's forward pass
  std::string path;              ///< dotted place in the spec it came from ("nodes.3.body.0"), for messages
};

/// What the data says of itself; `classes` and `auto` in a model are replaced from here.
struct Interface {
  std::map<std::string, Shape> inputs;  ///< usually {"x": [1, 28, 28]}
  std::int64_t classes = 0;             ///< 0: not classification
  std::int64_t targets = 1;             ///< width of a regression target
};

struct Graph {
  Interface interface;
  std::vector<Node> nodes;       ///< topological order, as listed
  std::string output;            ///< name of the node whose value is the model's output
  std::int64_t parameters() const;  ///< trainable numbers
  std::int64_t operations() const;  ///< multiply-adds of one example's forward pass
  const Node* find(const std::string& name) const;
};

/// A fault in a model, with the place inside the model section it belongs to.
class ModelError : public Error {
 public:
  ModelError(std::string path, const std::string& message, std::string hint = {})
      : Error(ErrorKind::usage, message, std::move(hint)), path_(std::move(path)) {}
  /// Dotted path within the `model:` section, e.g. "nodes.2.out".
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Reads the `model:` section (normalised JSON), wires it, infers every shape.
/// @throws ModelError at the first fault; `faults`, where given, collects all of them instead (the graph is then partial).
Graph build(const Json& model, const Interface& interface, std::vector<ModelError>* faults = nullptr);

/// Structural hash: equal graphs (ops, wiring, attributes, names of tensors) have equal hashes.
std::string structural_hash(const Graph& graph);

/// Table of all ops for the schema, the help and messages: attributes with type, default, one line of text.
struct Attribute {
  std::string name;
  std::string type;         ///< "int", "float", "bool", "enum:a|b|c", "int-or-pair", …
  Json fallback;            ///< default; discarded (null) where required
  bool required = false;
  std::string text;
};
struct LayerKind {
  std::string op;
  std::vector<Attribute> attributes;
  std::string text;
};
const std::vector<LayerKind>& layer_kinds();

}  // namespace dlrun::model
