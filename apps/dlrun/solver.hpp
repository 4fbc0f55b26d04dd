// SPDX-License-Identifier: Apache-2.0
// The solver CP-SAT for commands.
#pragma once
#include <string>

#include "cpsat/solver.hpp"

namespace dlrun::cli {

constexpr std::int64_t kUsualEffort = 20;  ///< units of the solver's own clock

/// @param what  is to be solved, for the message
/// @throws Error(usage) where there is none, with the command that brings it
cpsat::Solver found_solver(const std::string& what);

}  // namespace dlrun::cli
