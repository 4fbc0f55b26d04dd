// SPDX-License-Identifier: Apache-2.0
// Spaces that a sampler has to search in its contract tests.
#pragma once
#include <string>
#include <vector>

#include "space/space.hpp"

namespace dlrun::cli {

struct NamedSpace {
  std::string name;
  space::Space space;
};

std::vector<NamedSpace> contract_spaces();
/// Numbers, of which two on a log scale or with steps, a choice and a condition.
space::Space mixed_space();

}  // namespace dlrun::cli
