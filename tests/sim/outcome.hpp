// SPDX-License-Identifier: Apache-2.0
// What training would have measured: a pure function of the study's seed and the trial's values, as real training is
// within one numerics class.
#pragma once
#include "scenario.hpp"

namespace dlrun::sim {

/// The result of a piece that nothing disturbs.
trial::PieceResult outcome(const Scenario& scenario, const space::Values& values, const study::StartPiece& piece);

}  // namespace dlrun::sim
