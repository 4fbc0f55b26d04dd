// SPDX-License-Identifier: Apache-2.0
// The best placement by CP-SAT.
#pragma once
#include "cpsat/solver.hpp"
#include "placement/exact.hpp"

namespace dlrun::exact {

struct Search {
  double effort = 0;    ///< the most units of the solver's own clock
  double expected = 0;  ///< seconds of the best step, as someone guesses, see ladder.hpp; 0: nobody does
};

/// Places by constraint programming (scheduling_model.hpp), from the best of greedy's single moves, and improves by
/// such moves what the solver finds. The same on every run.
/// @param solver  must outlive what is returned
placement::Prover prover(const cpsat::Solver& solver, const Search& search);

}  // namespace dlrun::exact
