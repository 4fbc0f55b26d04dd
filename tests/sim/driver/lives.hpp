// SPDX-License-Identifier: Apache-2.0
// The real driver::Loop over a real store, under virtual time, one life after another.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "machines.hpp"
#include "weather.hpp"

namespace dlrun::driver_sim {

/// End of a study that several drivers carried out.
struct Outcome {
  std::string logical;              ///< its logical export
  std::vector<std::string> faults;  ///< broken promises, empty if all is well
  Counts counts;
};

/// @param folder  of the store; is made, and is deleted by the caller
Outcome play(const Scenario& scenario, const std::filesystem::path& folder);

/// Plays a scenario and, unless people steer it, compares it with the undisturbed study.
/// @return  broken promises; empty: none
/// @param folder  for both stores
std::vector<std::string> check(const Scenario& scenario, const std::filesystem::path& folder, Counts& counts);

}  // namespace dlrun::driver_sim
