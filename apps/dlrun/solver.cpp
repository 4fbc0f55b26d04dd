// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include "cpsat/library.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

cpsat::Solver found_solver(const std::string& what) {
  const auto library = cpsat::find_library();
  if (!library.empty()) return cpsat::Solver(library);
  throw Error(ErrorKind::usage, what + " needs the solver CP-SAT, which is not there", cpsat::install_hint());
}

}  // namespace dlrun::cli
