// SPDX-License-Identifier: Apache-2.0
// Studies made up so that each rule of the driver has its turn, beside those that are drawn.
#pragma once
#include <string>
#include <vector>

#include "weather.hpp"

namespace dlrun::driver_sim {

struct Story {
  std::string name;
  Scenario scenario;
};

std::vector<Story> stories();

}  // namespace dlrun::driver_sim
