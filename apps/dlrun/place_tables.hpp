// SPDX-License-Identifier: Apache-2.0
// Answers of placers as tables.
#pragma once
#include <vector>

#include "placement/portfolio.hpp"
#include "report/report.hpp"

namespace dlrun::cli {

/// Three digits behind the point.
Json ratio_of(double value);
/// Milliseconds, likewise.
Json step_milliseconds(double seconds);

/// @param single  seconds on one device
report::Table graph_table(const placement::Graph& graph, const placement::Cluster& cluster,
                          const placement::Bounds& bounds, double single);

/// Seconds that no placement beats, as far as it is known.
double bound_of(const placement::Bounds& bounds, const std::vector<placement::Found>& all);

/// @param all    one device first
/// @param bound  see bound_of()
report::Table found_table(const std::vector<placement::Found>& all, const placement::Step& step,
                          const placement::Cluster& cluster, double bound);

/// The share of each device in the placement.
report::Table device_table(const placement::Found& best, const placement::Step& step,
                           const placement::Cluster& cluster);

}  // namespace dlrun::cli
