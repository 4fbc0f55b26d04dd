// SPDX-License-Identifier: Apache-2.0
// What a simulated worker measures: a function of the question alone, never of who asks or when.
#pragma once
#include "trial/runner.hpp"
#include "weather.hpp"

namespace dlrun::driver_sim {

trial::PieceResult outcome(const Scenario& scenario, const trial::PieceOrder& order);
/// Adds memory, log, costs and a checkpoint, which is written to the scenario's artifacts.
void complete(const Scenario& scenario, const trial::PieceOrder& order, trial::PieceResult& result);
/// Costs of an epoch of one rank and a server.
trial::GangReport gang_of(std::int64_t epoch);
trial::PieceResult failed(const trial::PieceOrder& order, trial::Cause cause, const std::string& message);

}  // namespace dlrun::driver_sim
