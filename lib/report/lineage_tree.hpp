// SPDX-License-Identifier: Apache-2.0
// Parts that text and picture have in common: edges between trials by kind, and labels.
#pragma once
#include <string>
#include <vector>

#include "report/lineage.hpp"

namespace dlrun::report {

/// Edges of one kind between two trials; of several members or attempts there are several.
struct LineageLink {
  std::string kind;
  TrialName from, to;
  std::vector<const LineageEdge*> edges;
};

/// Each pair and kind once, by `to`, then `from`; steps within a trial are none.
std::vector<LineageLink> links_of(const Lineage& lineage);

/// The ancestors (`towards_ancestors`) or the descendants that are one link away. Those of its study are its own.
std::vector<const LineageLink*> links_at(const std::vector<LineageLink>& links, const TrialName& trial,
                                         bool towards_ancestors);

/// Trials at which the tree begins: the trial asked about, or those that left the artifact, or took it.
std::vector<TrialName> roots_of(const Lineage& lineage, bool towards_ancestors);

/// "completed, 4 epochs, value 5.186"
std::string state_text(const LineageTrial& trial);
/// Whether every study has given the artifact up.
bool is_deleted(const Lineage& lineage, const std::string& sha256);
/// "replicate 0, fold 2, " for one of several members, else nothing.
std::string member_text(int replicate, int fold);

}  // namespace dlrun::report
