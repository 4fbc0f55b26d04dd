// SPDX-License-Identifier: Apache-2.0
#include "report/lineage_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace dlrun::report {

std::vector<LineageLink> links_of(const Lineage& lineage) {
  std::map<std::tuple<TrialName, TrialName, std::string>, LineageLink> links;
  for (const LineageEdge& edge : lineage.edges) {
    if (edge.from == edge.to) continue;
    LineageLink& link = links[{edge.to, edge.from, edge.kind}];
    link.kind = edge.kind;
    link.from = edge.from;
    link.to = edge.to;
    link.edges.push_back(&edge);
  }
  std::vector<LineageLink> all;
  for (auto& [key, link] : links) all.push_back(std::move(link));
  return all;
}

std::vector<const LineageLink*> links_at(const std::vector<LineageLink>& links, const TrialName& trial,
                                         bool towards_ancestors) {
  std::vector<const LineageLink*> found;
  for (const LineageLink& link : links) {
    const bool is_into = link.to == trial || (link.to == TrialName{trial.study} && link.from != trial);
    if (towards_ancestors ? is_into : link.from == trial) found.push_back(&link);
  }
  return found;
}

std::vector<TrialName> roots_of(const Lineage& lineage, bool towards_ancestors) {
  if (lineage.trial) return {*lineage.trial};
  std::set<TrialName> roots;
  for (const LineageArtifact& one : lineage.artifacts) {
    if (towards_ancestors && one.sha256 == lineage.artifact) roots.insert(one.trial);
  }
  for (const LineageEdge& edge : lineage.edges) {
    if (!towards_ancestors && edge.artifact == lineage.artifact && edge.from != edge.to) roots.insert(edge.to);
  }
  return {roots.begin(), roots.end()};
}

std::string state_text(const LineageTrial& trial) {
  if (trial.state == "study") return "all its trials";
  if (trial.state == "gone") return "not in this store";
  std::string text = trial.state;
  if (trial.epochs > 0) text += fmt::format(", {} epoch{}", trial.epochs, trial.epochs == 1 ? "" : "s");
  if (trial.objective.is_number()) text += fmt::format(", {} {:.4g}", trial.metric, trial.objective.get<double>());
  return text;
}

bool is_deleted(const Lineage& lineage, const std::string& sha256) {
  bool is_known = false;
  for (const LineageArtifact& one : lineage.artifacts) {
    if (one.sha256 != sha256) continue;
    if (!one.is_deleted) return false;
    is_known = true;
  }
  return is_known;
}

std::string member_text(int replicate, int fold) {
  return replicate == 0 && fold == 0 ? std::string() : fmt::format("replicate {}, fold {}, ", replicate, fold);
}

}  // namespace dlrun::report
