// SPDX-License-Identifier: Apache-2.0
// Where libortools lies.
#pragma once
#include <filesystem>
#include <string>

#include "libtorch/candidates.hpp"

namespace dlrun::cpsat {

/// The library of DLRUN_ORTOOLS, else of the environment that dlrun is installed in, of an active venv or conda
/// environment, or of dlrun's cache, where third_party/install unpacks it. Empty if it is in none of them.
/// @param chosen  the library or its folder; empty: not chosen
std::filesystem::path find_library(const std::filesystem::path& chosen, const libtorch::Surroundings& around);

/// The same for this process. Reads the environment.
std::filesystem::path find_library();

/// The commands that bring it.
std::string install_hint();

}  // namespace dlrun::cpsat
