// SPDX-License-Identifier: Apache-2.0
// Trials as coordinates for trees.
#pragma once
#include <vector>

#include "importance/evidence.hpp"

namespace dlrun::importance {

/// A column is active only where another one's class is among these.
struct Guard {
  std::size_t column = 0;
  std::vector<bool> classes;
};

/// A parameter of more than one value, or the budget. The space stands for the product of all columns: a parameter that
/// is not active has a coordinate all the same, which just has no effect. So importances of conditional parameters are
/// those of a function on the cube, and a tree splits a column only where all of its box is active.
struct Column {
  static constexpr std::size_t kBudget = ~std::size_t(0);
  std::size_t parameter = kBudget;
  std::vector<double> x;        ///< [n] in [0, 1], logarithmic on a log scale; of a set its class; NaN: not active
  std::vector<double> measure;  ///< share of each set's class; empty: a number. Values that no trial has share a class
  std::vector<Guard> guards;
  bool is_set() const { return !measure.empty(); }
};

/// Whether a trial has a value for the parameter.
inline bool is_active(const space::Value& value) { return !std::holds_alternative<std::monostate>(value); }

/// Columns of the evidence: sets for categorical parameters and for those that others depend on; the budget is the last
/// column. A parameter that depends on one exact number of a continuous other one has no column.
std::vector<Column> columns_of(const Evidence& evidence);

}  // namespace dlrun::importance
