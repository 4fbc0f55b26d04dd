// SPDX-License-Identifier: Apache-2.0
// The best placement by CP-SAT.
#pragma once
#include "cpsat/solver.hpp"
#include "placement/exact.hpp"

namespace dlrun::exact {

/// Places by constraint programming (scheduling_model.hpp), from the best of greedy's single moves, and improves by
/// such moves what the solver finds. The same on every run.
/// @param solver  must outlive what is returned
/// @param effort  the most units of the solver's own clock
placement::Prover prover(const cpsat::Solver& solver, double effort);

}  // namespace dlrun::exact
