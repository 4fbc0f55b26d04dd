// SPDX-License-Identifier: Apache-2.0
// `dlrun place --cluster FILE`: devices that differ, and links between them.
#pragma once
#include <string>

#include "placement/cluster.hpp"

namespace dlrun::cli {

/// Reads YAML (or JSON): `devices` are rows of `name`, `speed` and `memory_mb`; `link`, `latency_us` and
/// `bandwidth_gb` are of each pair that no row of `links` names by `between`.
/// @throws DocumentError, with the place of each fault
placement::Cluster read_cluster(const std::string& file);

}  // namespace dlrun::cli
