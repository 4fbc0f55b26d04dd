// SPDX-License-Identifier: Apache-2.0
// What a simulated worker measures: a function of the question alone, never of who asks or when.
#pragma once
#include "trial/runner.hpp"
#include "weather.hpp"

namespace dlrun::driver_sim {

trial::PieceResult outcome(const Scenario& scenario, const trial::PieceOrder& order);
trial::PieceResult failed(const trial::PieceOrder& order, trial::Cause cause, const std::string& message);

}  // namespace dlrun::driver_sim
