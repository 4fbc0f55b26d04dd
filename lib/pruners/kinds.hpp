// SPDX-License-Identifier: Apache-2.0
// Kinds of pruners, each with its settings and their defaults (`search.pruner` of a spec). Budgets are in epochs. The
// keys of the settings are in keys.cpp.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dlrun::pruners {

/// Kinds of judgements that a pruner can make.
struct Skills {
  bool several = false;  ///< by several objectives
  bool bounds = false;   ///< by bounds, or it compares no trials
};

/// Rungs that grow by a factor.
struct Ladder {
  int eta = 3;
  std::int64_t min_budget = 1;
  std::int64_t max_budget = 1;
};

/// Rungs at equal distances.
struct EvenLadder {
  std::int64_t min_budget = 1;
  std::int64_t max_budget = 1;
  std::int64_t interval = 1;  ///< epochs between rungs
};

/// Completed trials that a trial is compared with.
struct Others {
  std::int64_t startup_trials = 5;  ///< completed before anything is stopped
  std::int64_t min_trials = 1;      ///< completed with a value at the rung, before anything is stopped there
};

/// Trials that train side by side.
struct Population {
  std::int64_t population = 8;
  double quantile = 0.25;  ///< share of the worst, which give way, and of the best, which hand on
};

struct None {
  static constexpr const char* kName = "none";
  static constexpr Skills kSkills = {.several = true, .bounds = true};
};

struct Asha {
  static constexpr const char* kName = "asha";
  static constexpr Skills kSkills = {.several = true, .bounds = true};
  Ladder ladder = {};
  bool stops = false;  ///< type: stop
};

struct Pasha {
  static constexpr const char* kName = "pasha";
  static constexpr Skills kSkills = {};
  Ladder ladder = {};
};

struct SuccessiveHalving {
  static constexpr const char* kName = "successive_halving";
  static constexpr Skills kSkills = {.bounds = true};
  Ladder ladder = {};
  std::int64_t bracket = 0;  ///< trials that start together; 0: one is left at the last rung
};

struct Hyperband {
  static constexpr const char* kName = "hyperband";
  static constexpr Skills kSkills = {.bounds = true};
  Ladder ladder = {};
};

struct Bohb {
  static constexpr const char* kName = "bohb";
  static constexpr Skills kSkills = {.bounds = true};
  Ladder ladder = {};
};

struct Median {
  static constexpr const char* kName = "median";
  static constexpr Skills kSkills = {};
  EvenLadder ladder = {};
  Others others = {};
};

struct MedianOfAverages {
  static constexpr const char* kName = "median_of_averages";
  static constexpr Skills kSkills = {};
  EvenLadder ladder = {};
  Others others = {};
};

struct Percentile {
  static constexpr const char* kName = "percentile";
  static constexpr Skills kSkills = {};
  EvenLadder ladder = {};
  Others others = {};
  double percentile = 50;  ///< the best so many per cent continue
};

struct Threshold {
  static constexpr const char* kName = "threshold";
  static constexpr Skills kSkills = {.bounds = true};
  EvenLadder ladder = {};
  std::optional<double> lower = {};  ///< as measured
  std::optional<double> upper = {};
};

struct Patience {
  static constexpr const char* kName = "patience";
  static constexpr Skills kSkills = {.bounds = true};
  EvenLadder ladder = {};
  std::int64_t patience = 0;
  double min_delta = 0;
};

struct Pbt {
  static constexpr const char* kName = "pbt";
  static constexpr Skills kSkills = {.bounds = true};
  EvenLadder ladder = {};
  Population population = {};
  std::array<double, 2> factors = {0.8, 1.2};  ///< for the explorer of heirs
  double resample = 0.25;                      ///< for the explorer: chance of a parameter to be drawn anew
};

struct Pb2 {
  static constexpr const char* kName = "pb2";
  static constexpr Skills kSkills = {.bounds = true};
  EvenLadder ladder = {};
  Population population = {};
};

struct Wilcoxon {
  static constexpr const char* kName = "wilcoxon";
  static constexpr Skills kSkills = {};
  double alpha = 0.1;   ///< chance to stop a trial that is as good
  int min_members = 2;  ///< before the first look
};

/// A rule from outside of this room, a plugin's, which judges a trial once at each rung. make_pruner() knows its rungs
/// alone.
struct Foreign {
  static constexpr const char* kName = "";
  static constexpr Skills kSkills = {};
  std::string name = {};
  EvenLadder ladder = {};
};

/// Every kind of pruner there is.
using PrunerKind = std::variant<None, Asha, Pasha, SuccessiveHalving, Hyperband, Bohb, Median, MedianOfAverages,
                                Percentile, Threshold, Patience, Pbt, Pb2, Wilcoxon, Foreign>;

/// Facts of the study whose trials a pruner judges.
struct StudyFacts {
  std::uint64_t seed = 0;
  bool by_score = false;  ///< the study has several objectives, or bounds
  bool maximize = false;  ///< values are told negated; reasons show them as measured
  int members = 1;        ///< members of a trial: replicates x folds
};

struct PrunerOptions {
  PrunerKind kind;
  StudyFacts study = {};
};

inline std::string name_of(const PrunerKind& kind) {
  if (const auto* foreign = std::get_if<Foreign>(&kind)) return foreign->name;
  return std::visit([](const auto& own) { return std::string(own.kName); }, kind);
}
inline bool is_none(const PrunerKind& kind) { return std::holds_alternative<None>(kind); }
/// Whether trials are a population of fixed size, whose worst give way to heirs.
inline bool has_population(const PrunerKind& kind) {
  return std::holds_alternative<Pbt>(kind) || std::holds_alternative<Pb2>(kind);
}
/// Sets the whole budget of a trial, if the kind has rungs.
void set_max_budget(PrunerKind& kind, std::int64_t epochs);

/// Names of the built-in ones.
std::vector<std::string> pruner_names();
/// Names of pruners that can judge by several objectives.
std::vector<std::string> pruner_names_for_several();
/// Names of pruners that never let an infeasible trial continue before a feasible one, or that compare no trials.
std::vector<std::string> pruner_names_for_bounds();

}  // namespace dlrun::pruners
