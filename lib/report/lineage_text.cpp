// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "report/lineage_kinds.hpp"
#include "report/lineage_tree.hpp"
#include "util/sha256.hpp"
#include "util/units.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostLinks = 20;     ///< links of one trial
constexpr std::size_t kMostAttempts = 40;  ///< attempts of the trial asked about

std::string artifact_text(const LineageArtifact& one) {
  return fmt::format("{} {} (epoch {}, {}{})", one.role, short_hash(one.sha256), one.step,
                     bytes_text(double(one.bytes)), one.is_deleted ? ", deleted by the keep policy" : "");
}

bool is_of(const LineageAttempt& attempt, int replicate, int fold, int piece, int number) {
  return attempt.replicate == replicate && attempt.fold == fold && attempt.piece == piece && attempt.attempt == number;
}

/// "went on from 3fa2c1d4e5f6", "resumed attempt 1"
std::string step_text(const LineageEdge& edge) {
  std::string text = words_of(edge.kind).forth + " ";
  if (edge.from != edge.to) {
    text += to_string(edge.from);
  } else if (edge.from_attempt) {
    text += fmt::format("attempt {}", *edge.from_attempt);
  } else {
    text += fmt::format("piece {}", edge.from_piece.value_or(0));
  }
  return edge.artifact.empty() ? text : text + fmt::format(" ({})", short_hash(edge.artifact));
}

std::string epochs_text(const LineageAttempt& attempt) {
  const std::int64_t first = attempt.from_step + 1;
  return first < attempt.to_step ? fmt::format("epochs {} to {}", first, attempt.to_step)
                                 : fmt::format("epoch {}", attempt.to_step);
}

std::string attempt_text(const Lineage& lineage, const LineageAttempt& attempt) {
  std::string text = fmt::format("{}piece {}, attempt {}: {}, {}", member_text(attempt.replicate, attempt.fold),
                                 attempt.piece, attempt.attempt, epochs_text(attempt), attempt.state);
  if (!attempt.cause.empty()) text += fmt::format(" ({})", attempt.cause);
  for (const LineageEdge& edge : lineage.edges) {
    const bool is_its = edge.to == lineage.trial && is_of(attempt, edge.replicate, edge.fold, edge.piece, edge.attempt);
    if (is_its) text += "; " + step_text(edge);
  }
  for (const LineageArtifact& one : lineage.artifacts) {
    const bool is_its = one.trial == lineage.trial && is_of(attempt, one.replicate, one.fold, one.piece, one.attempt);
    if (is_its) text += "; left " + artifact_text(one);
  }
  return text;
}

std::string attempts_text(const Lineage& lineage) {
  std::string text = "its work\n";
  for (std::size_t i = 0; i < lineage.attempts.size() && i < kMostAttempts; ++i)
    text += "  " + attempt_text(lineage, lineage.attempts[i]) + "\n";
  if (lineage.attempts.size() > kMostAttempts)
    text += fmt::format("  and {} more attempts\n", lineage.attempts.size() - kMostAttempts);
  return lineage.attempts.empty() ? std::string() : text;
}

/// One direction, drawn as a tree. A trial that stands in it already is not opened again.
class Tree {
 public:
  Tree(const Lineage& lineage, const std::vector<LineageLink>& links, bool towards_ancestors)
      : lineage_(lineage), links_(links), is_up_(towards_ancestors) {}

  void draw_trial(const TrialName& trial, const std::string& indent) {
    seen_.insert(trial);
    const std::vector<const LineageLink*> all = links_at(links_, trial, is_up_);
    const std::size_t shown = all.size() > kMostLinks ? kMostLinks - 1 : all.size();
    for (std::size_t i = 0; i < shown; ++i) draw_link(*all[i], indent, i + 1 == all.size());
    if (shown < all.size()) text_ += fmt::format("{}└─ and {} more\n", indent, all.size() - shown);
  }
  const std::string& text() const { return text_; }

 private:
  void draw_link(const LineageLink& link, const std::string& indent, bool is_last) {
    const TrialName& other = is_up_ ? link.from : link.to;
    const bool is_known = seen_.contains(other);
    text_ += fmt::format("{}{} {}{}\n", indent, is_last ? "└─" : "├─", line(link, other), is_known ? " (above)" : "");
    if (!is_known) draw_trial(other, indent + (is_last ? "   " : "│  "));
  }

  std::string line(const LineageLink& link, const TrialName& other) const {
    const KindWords words = words_of(link.kind);
    const auto found = lineage_.trials.find(other);
    std::string text = fmt::format("{} {}", is_up_ ? words.forth : words.back, to_string(other));
    if (found != lineage_.trials.end()) text += ": " + state_text(found->second);
    const std::string& artifact = link.edges.front()->artifact;
    if (!artifact.empty()) {
      text += fmt::format("; by {}{}", short_hash(artifact),
                          is_deleted(lineage_, artifact) ? ", deleted by the keep policy" : "");
    }
    if (lineage_.cut.contains(other)) text += "; …";
    return text;
  }

  const Lineage& lineage_;
  const std::vector<LineageLink>& links_;
  bool is_up_;
  std::set<TrialName> seen_;
  std::string text_;
};

std::string tree_text(const Lineage& lineage, const std::vector<LineageLink>& links, bool towards_ancestors) {
  Tree tree(lineage, links, towards_ancestors);
  for (const TrialName& root : roots_of(lineage, towards_ancestors)) tree.draw_trial(root, "  ");
  const std::string title = towards_ancestors ? "came from" : "led to";
  return tree.text().empty() ? fmt::format("{}: nothing\n", title) : fmt::format("{}\n{}", title, tree.text());
}

/// Attempts that left the artifact asked about, and trials that took it.
std::string makers_text(const Lineage& lineage) {
  std::string text;
  for (const LineageArtifact& one : lineage.artifacts) {
    if (one.sha256 != lineage.artifact) continue;
    text += fmt::format("  left by {}, {}piece {}, attempt {}, as its {} of epoch {}, {}{}\n", to_string(one.trial),
                        member_text(one.replicate, one.fold), one.piece, one.attempt, one.role, one.step,
                        bytes_text(double(one.bytes)), one.is_deleted ? ", deleted by the keep policy" : "");
  }
  for (const LineageEdge& edge : lineage.edges) {
    if (edge.artifact != lineage.artifact) continue;
    text += fmt::format("  {} {}", words_of(edge.kind).back, to_string(edge.to));
    if (edge.to.number != TrialName::kStudy)
      text += fmt::format(", {}piece {}, attempt {}", member_text(edge.replicate, edge.fold), edge.piece, edge.attempt);
    text += "\n";
  }
  return text;
}

std::string data_text(const Lineage& lineage) {
  if (lineage.data.empty()) return {};
  std::string text;
  for (const auto& [study, trials] : lineage.same_data)
    text += fmt::format("{}{} trial{} of {}", text.empty() ? "" : ", ", trials, trials == 1 ? "" : "s", study);
  return fmt::format("on the same data ({}): {}\n", short_hash(lineage.data), text);
}

}  // namespace

std::string lineage_text(const Lineage& lineage) {
  const std::vector<LineageLink> links = links_of(lineage);
  std::string text = lineage.trial ? fmt::format("trial {}: {}\n{}", to_string(*lineage.trial),
                                                 state_text(lineage.trials.at(*lineage.trial)), attempts_text(lineage))
                                   : fmt::format("artifact {}\n{}", lineage.artifact, makers_text(lineage));
  text += tree_text(lineage, links, true) + tree_text(lineage, links, false) + data_text(lineage);
  if (!lineage.cut.empty()) text += "…: there is more behind it, with a greater --depth\n";
  return text;
}

}  // namespace dlrun::report
