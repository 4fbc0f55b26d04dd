// SPDX-License-Identifier: Apache-2.0
// A domain cut into parts whose values conditions and forbidden combinations cannot tell apart. For this room alone.
#pragma once
#include <vector>

#include "space/space.hpp"

namespace dlrun::space {

struct Cell {
  std::vector<bool> has;              ///< by clause: do its values have what the clause names?
  std::vector<std::int64_t> members;  ///< choices: their numbers, ascending
  double low = 0, high = 0;           ///< numbers: both inside, points of the grid where there is one
  bool is_numeric = false;            ///< false: `members` counts
};

/// The parts of a parameter's domain, in order. @param apart each choice is a part of its own (it stands in a sum)
std::vector<Cell> cells_of(const Space& space, std::size_t parameter, const std::vector<Clause>& clauses, bool apart);

}  // namespace dlrun::space
