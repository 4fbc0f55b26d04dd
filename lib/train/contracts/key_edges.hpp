// SPDX-License-Identifier: Apache-2.0
// Sections of a plugin with a number at the edge of its range.
#pragma once
#include <string>
#include <vector>

#include "train/contracts/contract.hpp"

namespace dlrun::train::contracts {

struct KeyEdge {
  std::string text;  ///< "gamma 0.5"
  Json section;      ///< as the tested one, but for this number
};

/// For each real number of the section, and each finite bound of its key: the bound, if it is a value itself, and the
/// value a quarter of the way from there to the section's.
std::vector<KeyEdge> key_edges(const Tested& tested);

}  // namespace dlrun::train::contracts
