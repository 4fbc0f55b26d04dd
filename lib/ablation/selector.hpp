// SPDX-License-Identifier: Apache-2.0
// Layers and blocks that a component means.
#pragma once
#include <string>
#include <vector>

#include "model/declared.hpp"

namespace dlrun::ablation {

/// Conditions that all hold. A block (group or residual) is matched by its name as one thing; its layers by theirs.
struct Selector {
  std::vector<std::string> names;   ///< full names; each must be there
  std::string prefix;               ///< beginning of the full name
  std::string glob;                 ///< pattern of the whole full name; `*` also spans dots
  std::string regex;                ///< ECMAScript, found anywhere in the full name, case-sensitive
  std::string kind;                 ///< op; "residual" and "group" are blocks
  std::vector<std::string> tags;    ///< all of them
  std::vector<std::string> except;  ///< full names that are left out

  bool has_conditions() const {
    return !names.empty() || !prefix.empty() || !glob.empty() || !regex.empty() || !kind.empty() || !tags.empty();
  }
};

/// A layer, or all layers of a block.
struct Match {
  std::string name;
  std::vector<std::string> nodes;  ///< in the model's order
};

/// Matches in the model's order, blocks first where several end at one node.
/// @throws Refused E201 where nothing matches, with the nearest names; E203 where the head is among the layers and
/// `allow_head` is false.
std::vector<Match> select(const model::Declared& model, const Selector& selector, bool allow_head);

/// All names a selector may mean, in the model's order.
std::vector<std::string> names_of(const model::Declared& model);

/// "did you mean 'a', 'b' or 'c'?": the three nearest of `known`.
std::string nearest_three(const std::string& name, const std::vector<std::string>& known);

}  // namespace dlrun::ablation
