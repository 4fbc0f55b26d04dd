// SPDX-License-Identifier: Apache-2.0
// Recorded learning curves: what a search would have measured, without training anything.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "space/space.hpp"

namespace dlrun::bench {

/// Configurations and their errors after each epoch. The file: one line of JSON, the parameters as a list of
/// {name, low, high, log, integer} or {name, choices: count}, `when: [index, choice]` where it is conditional; then CSV
/// without a header, a line for each configuration: its values (a choice by its index, empty: not active), then its
/// errors.
class Table {
 public:
  /// @throws std::runtime_error where there is no such file or a line of another length.
  explicit Table(const std::string& file);

  const space::Space& space() const { return space_; }
  std::size_t size() const { return curves_.size(); }
  std::int64_t epochs() const { return static_cast<std::int64_t>(curves_.at(0).size()); }
  /// Error of a configuration after `epoch` (from 1).
  double error(std::size_t row, std::int64_t epoch) const { return curves_[row][static_cast<std::size_t>(epoch) - 1]; }
  /// The configuration nearest to the values that was not taken: least squares over the unit coordinates of numbers
  /// active in both, 1 for each choice that differs. Ties: the first. It is taken then. All taken: the first.
  std::size_t take_nearest(const space::Values& values, std::vector<bool>& taken) const;

 private:
  std::vector<double> coordinates(const space::Values& values) const;

  space::Space space_;
  std::vector<std::vector<double>> rows_;  ///< as coordinates; NaN: not active
  std::vector<std::vector<double>> curves_;
};

}  // namespace dlrun::bench
