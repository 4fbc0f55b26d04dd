// SPDX-License-Identifier: Apache-2.0
// The plan of an ablation: its section of the study as structs, and the variants that follow from it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::ablation {

using Names = std::vector<std::string>;

/// An entry of `components`: something that can be left out.
struct Component {
  std::string id;
  std::string kind;  ///< drop, drop_branch, drop_between, drop_edge, drop_feature, drop_channel, …: the key of it
  Json what;         ///< value of that key
  Json to;           ///< swap: the replacement; null if there is none
  std::optional<std::string> as;  ///< each | group
  std::optional<std::string> how;
  std::string on_shape = "reinfer";  ///< identity_only | reinfer | project
  bool allow_head = false;
  bool inherit = false;
  std::optional<std::string> rationale;
  std::optional<std::string> expected;  ///< helps | hurts | none | unsure
  Json written;                         ///< the entry in its normal form
};

struct ProposedBy {
  std::optional<std::string> program;
  std::optional<Names> replies;  ///< SHA-256 of each
};

struct Path {
  std::optional<std::string> from;
  std::string order = "greedy";  ///< greedy | given
};

struct Replicates {
  int n = 10;
  std::optional<std::vector<std::int64_t>> seeds;
  std::optional<Names> vary;          ///< split: each replicate has a split of its own
  std::optional<std::string> splits;  ///< fixed: no folds, whatever the analysis claims

  /// Numbers of the replicates: the seeds, or 1 to n.
  std::vector<std::int64_t> numbers() const;
};

struct Stopping {
  std::vector<int> looks;  ///< numbers of replicates
  std::string boundary = "obf";
  std::optional<int> max;  ///< the last look says it in the normal form
};

struct Race {
  std::optional<int> budget;  ///< runs of all variants together, at most
};

struct Retune {
  std::int64_t trials = 8;  ///< settings that are tried for each variant
  std::string sampler = "random";
  std::string per = "variant";  ///< variant | replicate

  bool is_per_replicate() const { return per == "replicate"; }
};

struct Analysis {
  std::string metric;
  std::optional<std::string> claims;  ///< data | model | split; nullopt: split
  std::optional<double> rope;
  double alpha = 0.05;
  std::string correction = "holm";
  std::string test = "paired_t";
  double interval = 0.95;

  /// Population of which a verdict holds: this training procedure on new data (data), models trained on this training
  /// set, on new examples (model), or this split with fresh seeds (split).
  std::string claim() const { return claims.value_or("split"); }
  /// Metric of which runs keep one value for each validation example; empty: none.
  std::string kept_metric() const { return claim() == "split" ? std::string() : metric; }
};

/// `ablation:` of a study.
struct Section {
  std::vector<Component> components;
  std::optional<std::string> from;  ///< the trial that the baseline is of, "digits/17"
  ProposedBy proposed_by;
  std::string design = "loco";
  std::map<std::string, Names> groups, variants;
  std::optional<int> resolution;
  std::map<std::string, Names> generators;
  Path path;
  Replicates replicates;
  std::optional<Stopping> stopping;
  Race race;
  std::optional<Retune> retune;
  std::optional<std::string> start_from;  ///< baseline
  std::optional<std::string> tested;      ///< best | all
  Analysis analysis;
  double capacity_guard = 2;

  bool starts_from_baseline() const { return start_from == "baseline"; }
  /// Whether variants compete, and those that are shown to be worse drop out.
  bool is_race() const { return design == "race"; }
  bool has_own_splits() const { return replicates.vary.has_value(); }
  /// Whether variants have names of their own, and are judged one by one.
  bool has_named_variants() const { return design == "list" || design == "leave_group_out"; }
  /// Tunings of each variant.
  std::int64_t tunings() const;
};

/// The trial without some components, or the baseline.
struct Variant {
  std::string id;
  std::string kind;                              ///< baseline, that of its component, several, project
  Names components;                              ///< components that are off
  Json edits = Json::object();                   ///< {place of the trial: value}
  std::optional<std::int64_t> parameters = {};   ///< nullopt: the trial has no model; operations too
  std::optional<std::int64_t> operations = {};   ///< operations for an example
  Names notes = {};                              ///< side effects, W301 and on
  std::map<std::string, std::string> held = {};  ///< settings that are not tuned, each with the reason
  std::string hash = {};

  bool is_baseline() const { return kind == "baseline"; }
};

/// A variant that is the same as another, and is not trained.
struct Duplicate {
  std::string id;
  std::string of;
  Names components;
};

/// A variant that cannot be built.
struct Skipped {
  std::string id;
  std::string reason;
};

/// Effects that the same runs measure.
struct NamedAlias {
  Names effect;
  std::vector<Names> with;
};

/// A fraction of all combinations, by the names of the components.
struct NamedFraction {
  int resolution = 0;
  std::vector<Names> words;
  std::vector<NamedAlias> aliases;
};

/// A design that goes from variant to variant.
struct Steps {
  Names components;
  bool puts_back = false;
  std::string order = "greedy";  ///< given, or greedy: in rounds whose results decide on the next one

  bool is_greedy() const { return order == "greedy"; }
};

struct Plan {
  Section section;
  std::vector<Variant> variants;  ///< the baseline first
  std::vector<Duplicate> duplicates;
  std::vector<Skipped> skipped;
  std::optional<NamedFraction> fraction;
  std::optional<Steps> steps;
  int folds = 0;  ///< parts of train + val, one for each replicate; 0: they share a split, or draw their own
  std::map<std::string, double> majority;  ///< share of the most frequent class, by split
  bool maximizes_plugin = false;           ///< more of `analysis.metric` is better, and a plugin measures it
  bool has_own_seeds = false;              ///< each tuning of `retune` searches with a seed of its own

  /// Whether results decide which variants are trained.
  bool has_rounds() const { return steps && steps->is_greedy(); }
  /// Whether steps put components back: from all left out, or from another configuration.
  bool puts_back() const { return steps && steps->puts_back; }
};

}  // namespace dlrun::ablation
