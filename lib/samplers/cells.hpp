// SPDX-License-Identifier: Apache-2.0
// The cells (replicate, variant) of an ablation: which were started, and the results of those that are visible.
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "samplers/sampler.hpp"

namespace dlrun::samplers {

struct Cell {
  std::size_t replicate = 0, variant = 0;
  auto operator<=>(const Cell&) const = default;
};

class Cells {
 public:
  using Seen = std::vector<std::optional<std::optional<double>>>;  ///< by replicate: not visible, failed, a cost

  /// @param replicate, variant parameters of the space, finite ones; of every other one only the first value is one of
  /// a cell
  Cells(const space::Space& space, std::size_t replicate, std::size_t variant);

  void on_start(const space::Values& values) { started_.insert(of(values)); }
  /// A later result of a cell, of a failed one that was tried again, takes the place of the earlier. False: the trial
  /// may still get further.
  bool on_result(const Observation& result);

  bool is_started(const Cell& cell) const { return started_.contains(cell); }
  /// [variant][replicate]
  const std::vector<Seen>& seen() const { return seen_; }
  std::size_t replicates() const { return seen_.empty() ? 0 : seen_.front().size(); }
  std::size_t variants() const { return seen_.size(); }
  space::Values values_of(const Cell& cell) const;
  Cell of(const space::Values& values) const;

 private:
  space::Space space_;
  std::size_t replicate_, variant_;
  std::vector<Seen> seen_;
  std::set<Cell> started_;
};

}  // namespace dlrun::samplers
