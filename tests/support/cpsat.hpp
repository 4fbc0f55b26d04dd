// SPDX-License-Identifier: Apache-2.0
// CP-SAT for tests that need it.
#pragma once
#include <optional>

#include "cpsat/library.hpp"
#include "cpsat/solver.hpp"
#include "support/catch.hpp"

namespace dlrun::support {

/// Nothing, and a warning, where third_party/install has not brought it.
inline std::optional<cpsat::Solver> cpsat_solver() {
  const auto library = cpsat::find_library();
  if (!library.empty()) return std::optional<cpsat::Solver>(library);
  WARN("not tested: CP-SAT is not installed (" << cpsat::install_hint() << ")");
  return {};
}

}  // namespace dlrun::support
