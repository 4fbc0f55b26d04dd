// SPDX-License-Identifier: Apache-2.0
// Lineage of the best trial as a graph.
#pragma once
#include <string>

#include "page/sections.hpp"

namespace dlrun::page {

/// Graphviz draws it; without Graphviz, or for a trial that came from no other, the lineage as text.
std::string lineage_html(const StudyPage& page);

}  // namespace dlrun::page
