// SPDX-License-Identifier: Apache-2.0
// An ablation study as its store has it: the metric of every variant in every replicate.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ablation/plan.hpp"
#include "report/ablation_change.hpp"
#include "report/opened.hpp"
#include "statistics/contributions.hpp"

namespace dlrun::report {

/// One training of a variant. Part of no table: `is_decided` is false while it waits or runs; of one that never comes,
/// as what it waits for has failed, it is true.
struct AblationCell {
  bool is_decided = false;
  std::optional<double> metric;  ///< nullopt: failed, or not decided
  double seconds = 0;
  std::int64_t trial = -1;
  bool has_ended_well = false;  ///< completed; the metric that is analysed may be missing even so
  /// By example, or by cluster of examples that are alike; where the study claims more than its split.
  std::optional<statistics::ExampleValues> examples = {};
};

struct AblationVariant : ablation::Variant {
  std::vector<AblationCell> cells;  ///< one a replicate
};

struct AblationStudy {
  std::string name;
  std::string metric;
  bool maximize = true;
  std::vector<std::string> components;  ///< in the order of the study
  std::vector<std::string> seeds;       ///< names of the replicates
  std::vector<AblationVariant> variants;
  statistics::AnalysisOptions analysis;
  std::map<std::string, std::int64_t> cited;  ///< runs by the study that measured them
  ablation::Plan plan;
  Json spec;                                 ///< the study's normal form
  std::string claims = "split";              ///< data | model | split: claim of its verdicts, as far as its files allow
  int without_examples = 0;                  ///< measured cells without values of examples, where more is claimed
  bool has_other_examples = false;           ///< programs: runs left results of other examples than others did
  bool has_clusters = false;                 ///< examples are whole groups or stretches of time
  bool has_one_example = false;              ///< where more is claimed: nothing tells the luck of examples
  std::map<std::string, Change> changes;     ///< by component
  std::map<std::string, std::string> names;  ///< names for people, by component; empty for programs

  /// Name of a component or variant in tables and sentences.
  const std::string& name_of(const std::string& component) const;
  /// The change that a component stands for, if it has two sides that are named; else nullptr.
  const Change* sides_of(const std::string& component) const;
  /// Variant in which exactly these components are off; nullptr: no such variant was trained.
  const AblationVariant* without(const std::vector<std::string>& off) const;
  /// Variant in which all but these components are off.
  const AblationVariant* with_only(const std::vector<std::string>& on) const;
  /// Replicates that both have decided; failed ones are nullopt.
  statistics::Comparison compared(const AblationVariant& with, const AblationVariant& without) const;
  /// No better than guessing: its metric is a share of right labels and within one standard error of what the most
  /// frequent class alone gives, or below. Or, of training, exactly the same in all replicates.
  bool is_collapsed(const AblationVariant& variant) const;
};

/// Whether its trials are programs or functions of the user's.
bool runs_programs(const AblationStudy& study);
/// Decided replicates, nullopt for failed ones.
statistics::Cells cells_of(const AblationVariant& variant);
/// Metrics that the variant's replicates measured.
std::vector<double> measured_of(const AblationVariant& variant);
/// Runs that are not over yet; none of a design in rounds, nor of one with looks: it need not train all.
std::size_t open_cells(const AblationStudy& study);

/// Counts cells as lost that a finished study never ran, as no setting of their tuning, or of the baseline's, trained
/// (ablation_retuned.cpp).
void lose_untuned(const OpenedStudy& opened, AblationStudy& study);

/// Read once in a Snapshot. @throws Error(usage) if the study is no ablation.
AblationStudy ablation_study(const OpenedStudy& opened);

}  // namespace dlrun::report
