// SPDX-License-Identifier: Apache-2.0
// Ancestors and descendants of a trial or of an artifact, over all studies of a store.
#pragma once
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::report {

/// A trial of some study, or the study as a whole.
struct TrialName {
  static constexpr std::int64_t kStudy = -1;
  std::string study;
  std::int64_t number = kStudy;
  auto operator<=>(const TrialName&) const = default;
};
std::string to_string(const TrialName& name);  ///< "digits/17"; of a study "digits"

/// One step of lineage, as a row of `edges` has it. `from` is the ancestor; steps within a trial have it twice.
struct LineageEdge {
  std::string kind;
  TrialName from, to;
  int replicate = 0, fold = 0, piece = 0;
  int attempt = 0;  ///< 0: of the trial itself, or of the study
  std::optional<int> from_piece, from_attempt;
  std::string artifact;  ///< SHA-256 of the artifact handed over; empty: none
  auto operator<=>(const LineageEdge&) const = default;
};

struct LineageTrial {
  std::string state;
  std::string metric;
  Json objective;
  std::int64_t epochs = 0, attempts = 0;
};

/// A file that an attempt left.
struct LineageArtifact {
  std::string sha256, role;
  TrialName trial;
  int replicate = 0, fold = 0, piece = 0, attempt = 0;
  std::int64_t step = 0, bytes = 0;
  bool is_deleted = false;  ///< by the keep policy
};

/// One attempt at a piece of the trial that was asked about.
struct LineageAttempt {
  int replicate = 0, fold = 0, piece = 0, attempt = 0;
  std::int64_t from_step = 0, to_step = 0;
  std::string state, cause;
};

struct Lineage {
  std::optional<TrialName> trial;  ///< trial that was asked about, or
  std::string artifact;            ///< SHA-256 of the artifact that was
  std::map<TrialName, LineageTrial> trials;
  std::vector<LineageEdge> edges;  ///< in order of `to`, each once
  std::set<TrialName> cut;         ///< behind which there is more than the depth allows
  std::vector<LineageArtifact>
      artifacts;  ///< artifacts that the trial asked about left, that edges name, or that was asked about
  std::vector<LineageAttempt> attempts;
  std::string data;  ///< SHA-256 of the data the trial asked about was trained on; empty: not known
  std::map<std::string, std::int64_t> same_data;  ///< by study: number of trials on the same data
};

struct LineageOptions {
  int depth = 3;                       ///< steps from trial to trial, in each direction
  std::optional<int> replicate, fold;  ///< replicate and fold of one member only
};

/// @throws Error(not_found) where there is no such trial.
Lineage lineage_of(const std::filesystem::path& store, const TrialName& trial, const LineageOptions& options);
/// @param prefix  of its SHA-256
/// @throws Error(not_found) where no study of the store has it; Error(usage) where several begin so.
Lineage lineage_of_artifact(const std::filesystem::path& store, const std::string& prefix,
                            const LineageOptions& options);

/// A tree for people, of ancestors and descendants.
std::string lineage_text(const Lineage& lineage);
/// {"schema": 1, "root": …, "nodes": […], "edges": […], …}
Json lineage_json(const Lineage& lineage);
/// A graph in Graphviz's language, ancestors on the left.
std::string lineage_dot(const Lineage& lineage);

}  // namespace dlrun::report
