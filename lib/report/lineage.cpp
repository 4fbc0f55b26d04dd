// SPDX-License-Identifier: Apache-2.0
// Breadth-first search over the edges, from trial to trial.
#include "report/lineage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/lineage_rows.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

enum class Towards { ancestors, descendants };

class Search {
 public:
  Search(const LineageRows& rows, Lineage& out, int depth) : rows_(rows), out_(out), depth_(depth) {}

  void walk(const std::set<TrialName>& begin, Towards towards) {
    std::set<TrialName> seen, frontier = begin;
    for (int step = 0; !frontier.empty(); ++step) {
      std::set<TrialName> next;
      for (const TrialName& trial : frontier) {
        out_.trials.try_emplace(trial, rows_.facts(trial));
        seen.insert(trial);
        if (step < depth_) visit(trial, towards, next);
        if (step == depth_ && has_more(trial, towards)) out_.cut.insert(trial);
      }
      std::erase_if(next, [&](const TrialName& trial) { return seen.contains(trial); });
      frontier = std::move(next);
    }
  }

  void add_edge(const LineageEdge& edge) {
    if (known_.insert(edge).second) out_.edges.push_back(edge);
  }

 private:
  /// Edges of a trial; the edges that lead to its study lead to it too.
  std::vector<LineageEdge> edges_of(const TrialName& trial, Towards towards) const {
    std::vector<LineageEdge> edges = towards == Towards::ancestors ? rows_.into(trial) : rows_.out_of(trial);
    if (towards == Towards::ancestors && trial.number != TrialName::kStudy) {
      for (LineageEdge& edge : rows_.into({trial.study})) edges.push_back(std::move(edge));
    }
    return edges;
  }

  bool has_more(const TrialName& trial, Towards towards) const {
    const std::vector<LineageEdge> edges = edges_of(trial, towards);
    return std::any_of(edges.begin(), edges.end(), [](const LineageEdge& edge) { return edge.to != edge.from; });
  }

  void visit(const TrialName& trial, Towards towards, std::set<TrialName>& next) {
    for (const LineageEdge& edge : edges_of(trial, towards)) {
      add_edge(edge);
      if (edge.to == edge.from) continue;
      next.insert(towards == Towards::ancestors ? edge.from : edge.to);
      if (edge.to.number == TrialName::kStudy) out_.trials.try_emplace(edge.to, rows_.facts(edge.to));
    }
  }

  const LineageRows& rows_;
  Lineage& out_;
  int depth_;
  std::set<LineageEdge> known_;
};

void add_artifacts(const LineageRows& rows, Lineage& lineage) {
  std::set<std::string> known;
  for (const LineageArtifact& one : lineage.artifacts) known.insert(one.sha256);
  std::set<std::string> named;
  for (const LineageEdge& edge : lineage.edges) {
    if (!edge.artifact.empty() && !known.contains(edge.artifact)) named.insert(edge.artifact);
  }
  for (const std::string& sha256 : named) {
    std::vector<LineageArtifact> left = rows.artifact(sha256);
    std::erase_if(left, [&](const LineageArtifact& one) { return !lineage.trials.contains(one.trial); });
    lineage.artifacts.insert(lineage.artifacts.end(), left.begin(), left.end());
  }
}

void finish(const LineageRows& rows, Lineage& lineage) {
  std::sort(lineage.edges.begin(), lineage.edges.end(), [](const LineageEdge& a, const LineageEdge& b) {
    return std::tie(a.to, a.replicate, a.fold, a.piece, a.attempt, a.kind, a.from) <
           std::tie(b.to, b.replicate, b.fold, b.piece, b.attempt, b.kind, b.from);
  });
  add_artifacts(rows, lineage);
  lineage.same_data = rows.trials_on(lineage.data);
}

std::string whole_hash(const LineageRows& rows, const std::string& prefix) {
  const std::vector<std::string> found = rows.hashes(prefix);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw Error(ErrorKind::not_found, fmt::format("no study of the store has an artifact '{}'", prefix),
                "`dlrun show TRIAL` lists those of a trial; a trial is written STUDY/17");
  }
  throw Error(ErrorKind::usage, fmt::format("several artifacts begin with '{}'", prefix),
              fmt::format("write more digits: {}", fmt::join(found, ", ")));
}

/// A replicate or fold was asked for of which there is nothing.
void require_member(const Lineage& lineage, const LineageOptions& options) {
  const bool is_chosen = options.replicate || options.fold;
  if (is_chosen && lineage.attempts.empty() && lineage.artifacts.empty() && lineage.edges.empty())
    throw Error(ErrorKind::not_found,
                fmt::format("trial {} has no work of the member that was asked for", to_string(lineage.trial.value())),
                "without --replicate and --fold all of its work is shown");
}

}  // namespace

std::string to_string(const TrialName& name) {
  return name.number == TrialName::kStudy ? name.study : fmt::format("{}/{}", name.study, name.number);
}

Lineage lineage_of(const std::filesystem::path& store, const TrialName& trial, const LineageOptions& options) {
  const LineageRows rows(store, options);
  rows.require(trial);
  Lineage lineage{.trial = trial};
  lineage.attempts = rows.attempts(trial);
  lineage.artifacts = rows.artifacts_of(trial);
  lineage.data = rows.data_of(trial.study);
  Search search(rows, lineage, options.depth);
  search.walk({trial}, Towards::ancestors);
  search.walk({trial}, Towards::descendants);
  require_member(lineage, options);
  finish(rows, lineage);
  return lineage;
}

Lineage lineage_of_artifact(const std::filesystem::path& store, const std::string& prefix,
                            const LineageOptions& options) {
  const LineageRows rows(store, options);
  Lineage lineage{.artifact = whole_hash(rows, prefix)};
  lineage.artifacts = rows.artifact(lineage.artifact);
  std::set<TrialName> makers, takers;
  for (const LineageArtifact& one : lineage.artifacts) makers.insert(one.trial);
  Search search(rows, lineage, options.depth);
  search.walk(makers, Towards::ancestors);
  for (const LineageEdge& edge : rows.by_artifact(lineage.artifact)) {
    search.add_edge(edge);
    if (edge.to != edge.from) takers.insert(edge.to);
  }
  search.walk(takers, Towards::descendants);
  if (!makers.empty()) lineage.data = rows.data_of(makers.begin()->study);
  finish(rows, lineage);
  return lineage;
}

}  // namespace dlrun::report
