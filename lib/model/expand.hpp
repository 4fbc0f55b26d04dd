// SPDX-License-Identifier: Apache-2.0
// Makes a flat list of the nodes as written: groups, repeats and residuals unfolded, names made full, inputs resolved.
#pragma once
#include <string>
#include <vector>

#include "model/faults.hpp"

namespace dlrun::model {

/// A node before shapes. Every input is the full name of a producer, or empty where a fault left it unknown.
struct Draft {
  std::string name;
  std::string op;
  std::string path;
  std::string role;
  std::vector<std::string> inputs;
  std::vector<std::string> tags;
  Json written;       ///< the map in the spec
  std::string share;  ///< full name of the node whose tensors it uses, or empty
  std::string match;  ///< projections only: the node whose output shape is to be reached
};

/// A group or a residual as it was written; names of its parts begin with its name and a dot.
struct Block {
  std::string name;
  std::string op;        ///< "group" or "residual"
  std::string input;     ///< node it reads
  std::string value;     ///< node with its result
  std::string body;      ///< residual: node at the end of the body
  std::string shortcut;  ///< residual: value added to it; empty: none (`shortcut: none`)
};

struct Plan {
  std::vector<Draft> nodes;     ///< topological order
  std::vector<Block> blocks;    ///< the inner before the outer
  std::vector<Output> outputs;  ///< none where a fault left them unknown
};

/// @param inputs   names of the model's inputs
/// @param outputs  the model's `outputs`; null: the value of the last layer is the only one
Plan expand(const Json& nodes, const std::vector<std::string>& inputs, const Json& outputs, Faults& faults);

}  // namespace dlrun::model
