// SPDX-License-Identifier: Apache-2.0
// Names inside of groups: which name means which value, seen from where a node stands.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/faults.hpp"

namespace dlrun::model {

/// Place of a list of nodes.
struct Scope {
  std::vector<std::string> prefixes{""};  ///< "", "blocks.", "blocks.0.": innermost last
  std::string input;                      ///< value that the first node reads; empty: nothing by default
  std::vector<std::string> tags;          ///< tags of the groups around

  const std::string& prefix() const { return prefixes.back(); }
  /// The list inside of the node `name`, whose first node reads `new_input`.
  Scope within(const std::string& name, std::string new_input) const;
};

/// All names of a model so far.
class Names {
 public:
  Names(const std::vector<std::string>& inputs, Faults& faults);

  /// Takes a full name. @return false, with a fault at `path`, where it is taken already.
  bool claim(const std::string& name, const std::string& path);
  /// The name of a node, group or body stands for the value of this node from now on.
  void bind(const std::string& name, const std::string& value) { values_[name] = value; }
  /// The node whose value a name of the innermost list means; empty where there is none.
  std::string find(const std::string& name, const Scope& scope) const;
  bool is_input(const std::string& value) const { return inputs_.contains(value); }
  /// All names that have a value, for suggestions.
  std::vector<std::string> all() const;
  /// The node whose value `from` means: in the innermost list first, then outwards; "input" is the value that the list
  /// reads. Where there is none, a fault, and the nearest one as a guess (empty where none is near).
  std::string resolve(const Json& from, const std::string& path, const Scope& scope);

 private:
  std::string guess(const std::string& name, const std::string& path, const Scope& scope);

  Faults& faults_;
  std::set<std::string> inputs_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> values_;  ///< full name -> the node with its value
};

/// 1 to 100 letters, digits, '_', '-' and inner '.'.
bool is_good_name(const std::string& name);

}  // namespace dlrun::model
