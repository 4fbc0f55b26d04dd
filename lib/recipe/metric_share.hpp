// SPDX-License-Identifier: Apache-2.0
// Metrics whose hundredths people call points.
#pragma once
#include <string>

namespace dlrun::recipe {

/// Whether a metric, by its full name, is a share of examples or a mean of such shares: accuracy, top_k, precision,
/// recall and f1, but no correlation and no area.
bool is_share(const std::string& metric);

/// Whether it is the mean of values of single examples, each 1 or 0.
bool is_of_hits(const std::string& metric);

}  // namespace dlrun::recipe
