// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/lineage_kinds.hpp"
#include "report/lineage_tree.hpp"
#include "util/sha256.hpp"

namespace dlrun::report {

namespace {

/// A string of Graphviz's language; \n is an end of line there.
std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

/// Commas become ends of line: boxes are to be narrow.
std::string in_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find(", ", at)) != std::string::npos;) text.replace(at, 2, "\n");
  return text;
}

std::string trial_node(const Lineage& lineage, const TrialName& name, const LineageTrial& trial) {
  const bool is_root = lineage.trial == name;
  const std::string more = lineage.cut.contains(name) ? "\n…" : "";
  return fmt::format("  {} [label={}{}];\n", in_quotes(to_string(name)),
                     in_quotes(to_string(name) + "\n" + in_lines(state_text(trial)) + more),
                     is_root ? ", fillcolor=\"#cfe3f6\", penwidth=2" : "");
}

/// Nodes of the artifacts that the trial asked about left, or of the artifact asked about.
std::string artifact_nodes(const Lineage& lineage) {
  std::string text;
  std::set<std::string> drawn;
  for (const LineageArtifact& one : lineage.artifacts) {
    const bool is_shown = lineage.trial ? one.trial == *lineage.trial : one.sha256 == lineage.artifact;
    if (!is_shown) continue;
    if (drawn.insert(one.sha256).second) {
      text += fmt::format("  {} [shape=note, label={}, fontcolor={}];\n", in_quotes(one.sha256),
                          in_quotes(fmt::format("{} {}\nepoch {}{}", one.role, short_hash(one.sha256), one.step,
                                                is_deleted(lineage, one.sha256) ? "\ndeleted" : "")),
                          is_deleted(lineage, one.sha256) ? "\"#777777\"" : "black");
    }
    text +=
        fmt::format("  {} -> {} [label=left, style=dashed];\n", in_quotes(to_string(one.trial)), in_quotes(one.sha256));
  }
  return text;
}

std::string link_line(const LineageLink& link) {
  std::string label = words_of(link.kind).back;
  const std::string& artifact = link.edges.front()->artifact;
  if (!artifact.empty()) label += "\n" + short_hash(artifact);
  if (link.edges.size() > 1) label += fmt::format("\n{} times", link.edges.size());
  return fmt::format("  {} -> {} [label={}];\n", in_quotes(to_string(link.from)), in_quotes(to_string(link.to)),
                     in_quotes(label));
}

}  // namespace

std::string lineage_dot(const Lineage& lineage) {
  std::string text =
      "digraph lineage {\n"
      "  rankdir=LR;\n"
      "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#555555\"];\n";
  for (const auto& [name, trial] : lineage.trials) text += trial_node(lineage, name, trial);
  text += artifact_nodes(lineage);
  for (const LineageLink& link : links_of(lineage)) text += link_line(link);
  return text + "}\n";
}

}  // namespace dlrun::report
