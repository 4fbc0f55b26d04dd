// SPDX-License-Identifier: Apache-2.0
// A traversal order for a graph, by numbers about it. The rules are dlrun's own; none is from a paper.
#pragma once
#include <string>

#include "placement/features.hpp"

namespace dlrun::placement {

struct Rule {
  const char* looks_like;
  bool (*applies)(const Features& features);
  const char* order;
  const char* evidence;  ///< measured: surrogate | measured: user | paper: not available
};

/// The first rule that applies; the last one always does.
const Rule& rule_for(const Features& features);

/// "order dfs-pre: looks like …: parallelism 2.6, … (measured: surrogate)".
std::string reason_of(const Rule& rule, const Features& features);

}  // namespace dlrun::placement
