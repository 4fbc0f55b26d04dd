// SPDX-License-Identifier: Apache-2.0
// Names in the arithmetic of a layer's plugin.yaml: sizes of its inputs, keys of its section, `let`.
#pragma once
#include <map>
#include <set>
#include <string>

#include "model/graph.hpp"
#include "util/json.hpp"

namespace dlrun::model {

/// "D % heads == 0", cut at its comparison.
struct Comparison {
  std::string left, sign, right;
};

/// @throws ExpressionFault where there is no comparison
Comparison comparison_of(const std::string& text);

class PluginNames {
 public:
  /// @param let  names to numbers or arithmetic
  explicit PluginNames(const Json& let) : let_(let) {}

  void set(const std::string& name, double value) { values_[name] = value; }
  const double* find(const std::string& name) const;

  /// @param written  a number, or arithmetic
  /// @throws ExpressionFault
  double value(const Json& written);
  /// A size. @throws ExpressionFault unless it is a whole number from 1 to 2^31
  std::int64_t size(const Json& written);
  bool holds(const std::string& comparison);
  /// The values of all names, those of `let` too. @throws ExpressionFault
  const std::map<std::string, double>& all();
  /// `text` with {name} replaced by values.
  std::string filled(const std::string& text) const;

 private:
  double lookup(const std::string& name);

  const Json& let_;
  std::map<std::string, double> values_;
  std::set<std::string> open_;  ///< names of `let` that are being worked out
};

}  // namespace dlrun::model
