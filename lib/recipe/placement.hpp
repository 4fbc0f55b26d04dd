// SPDX-License-Identifier: Apache-2.0
// `placement:` of a trial: which layer which of several devices of one machine computes.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "options/key.hpp"

namespace dlrun::recipe {

/// A placer decides, by a simulated step.
struct FoundPlacement {
  std::string placer = "auto", order = "auto", link = "threads";
  std::int64_t tries = 2000;
  std::string schedule;                                ///< a pipeline's; empty: one batch after another
  std::string profile;                                 ///< file with measured costs; empty: they are estimated
  std::map<std::string, std::vector<double>> seconds;  ///< content of the file: forward and backward, of each layer
};

/// As a file says.
struct GivenPlacement {
  std::string path;
  std::map<std::string, int> nodes;                         ///< content of the file: the device of each layer
  std::vector<std::vector<std::string>> forward, backward;  ///< and layers of each device in its order, or none
  std::string schedule = {};                                ///< a pipeline's, as above
};

using PlacementConfig = std::variant<FoundPlacement, GivenPlacement>;

options::Key placement_key();

/// Batches of a step (`accumulate`) that a pipeline takes.
inline constexpr std::int64_t kMostParts = 256;
const std::string& schedule_of(const PlacementConfig& config);

/// No value if one device computes all.
/// @throws Error(usage) for a value out of its range, naming its place
std::optional<PlacementConfig> read_placement(const Json& trial);

}  // namespace dlrun::recipe
