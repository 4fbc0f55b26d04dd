// SPDX-License-Identifier: Apache-2.0
// Results of single validation examples that a trial has left.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "report/selectors.hpp"

namespace dlrun::final {

struct Examples {
  std::string csv;          ///< columns replicate, fold, step, id, value; by member, then as left
  std::size_t members = 0;  ///< members that left some
};

/// The newest results of each member. @throws Error(not_found) where there are none, or they were given up;
/// Error(store) for an artifact that is missing or damaged.
Examples examples_of(const std::filesystem::path& store, const report::OneTrial& trial);

}  // namespace dlrun::final
