// SPDX-License-Identifier: Apache-2.0
// Results of an ablation study, as tables and figures.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "report/ablation_cells.hpp"
#include "statistics/contributions.hpp"

namespace dlrun::report {

/// The study, with the names that its readers know.
/// @throws Error(usage) if the study is no ablation
AblationStudy study_for(const OpenedStudy& opened, Audience audience);

/// A component judged: its gain beside all the others (loco), or alone beside none of them (add_one_in).
struct Judged {
  std::string component;
  const AblationVariant* with = nullptr;
  const AblationVariant* without = nullptr;
  statistics::Contribution found;
  std::string expected = {};    ///< the component's effect by its file: helps, hurts, none, unsure; or empty
  bool is_exploratory = false;  ///< a component of it has an expected effect; judged in a family of their own
};

struct JudgedPair {
  std::string first, second;
  statistics::Interaction found;
};

/// Every component that was left out of the whole, a family; of designs whose variants have names of their own (list,
/// leave_group_out) every variant.
std::vector<Judged> needs(const AblationStudy& study);
/// Every component that was put back alone, a family of its own.
std::vector<Judged> gains_alone(const AblationStudy& study);
/// Every two components that were left out alone and together, a family of its own.
std::vector<JudgedPair> interactions_of(const AblationStudy& study);

/// Worth of a component in a fractional design, averaged over the runs, together with its aliases.
std::vector<Judged> main_effects(const AblationStudy& study);
/// Values of a contrast by example, by replicate (gains_of).
using Gains = std::vector<statistics::ExampleValues>;
/// Runs of a pair of components: with both, without the first, the second, both.
struct PairRuns {
  std::array<statistics::Cells, 4> cells;
  bool has_collapsed = false;
  Gains gains;
};
/// The pairs with their effects. @param runs  of each pair
std::vector<JudgedPair> judged(std::vector<JudgedPair> pairs, const std::vector<PairRuns>& runs,
                               const statistics::AnalysisOptions& analysis);
/// Interactions of a fractional design: one of each class of interactions of two that no component is among.
std::vector<JudgedPair> aliased_interactions(const AblationStudy& study);
/// Interactions of two components that a fraction cannot tell from an effect of one, or of two: "`a` and `b`".
std::vector<std::string> aliases_of(const AblationStudy& study, const std::vector<std::string>& effect);

/// Steps so far of a design in steps, in their order, over the replicates that all of its variants measured: their
/// contributions sum to the difference of the two ends.
std::vector<Judged> steps_of(const AblationStudy& study);
/// All of the steps together, over the same replicates.
statistics::Contribution whole_of_steps(const AblationStudy& study, const std::vector<Judged>& steps);
/// How far a design in steps has come.
struct StepsSoFar {
  bool is_open = false;   ///< runs that decide the next step are not over
  std::size_t taken = 0;  ///< steps, of as many as there are components
  std::string end;        ///< why no more follow; empty where `is_open`, or where the order is given
};
StepsSoFar steps_so_far(const AblationStudy& study);
/// Table of those steps with their sum, and the kind of their order; or no rows.
Table steps_table(const AblationStudy& study, const std::vector<Judged>& steps);

/// Fills in `expected` and `is_exploratory`.
void note_expected(const AblationStudy& study, std::vector<Judged>& judged);
/// Number of the judged components that are exploratory.
std::int64_t exploratory_of(const std::vector<Judged>& judged);
/// Two columns before `column`, expected and family, where one of the rows is exploratory.
void add_expected(Table& table, const std::vector<const Judged*>& rows, std::size_t column);

/// Whether the design puts components back, and leaves none out of the whole.
bool is_put_back(const AblationStudy& study);
/// Family that the report is about first: `needs`, or `gains_alone` where components are put back.
std::vector<Judged> main_family(const AblationStudy& study);
/// The judged with the largest gain first; those without a rank last.
std::vector<const Judged*> by_effect(const std::vector<Judged>& all);
/// The nearest number of so many decimals.
double to_decimals(double value, int decimals);
/// "within ±0.01"
std::string within_rope(const statistics::AnalysisOptions& analysis);
/// An effect that is shown, and shown to be too small to matter.
bool is_small(const statistics::Contribution& c, const statistics::AnalysisOptions& analysis);
/// "helps †", "helps (within ±0.01)", "invalid: collapsed"
std::string verdict_text(const statistics::Contribution& c, const statistics::AnalysisOptions& analysis);
/// The same for people, to whom the verdict on a swap names the better side: "adamw better †".
std::string verdict_of(const AblationStudy& study, const Judged& judged);
/// Two columns, change and better, if a component is a swap: the names of both sides, and that of the better.
void add_sides(Table& table, const AblationStudy& study, const std::vector<const Judged*>& rows);

/// "corrected by Holm"
const char* correction_name(const std::string& correction);

/// Number as a cell: six significant digits, more than any replicate has.
Json figure(double value);
/// "1.2 %" saved without the component; null where it is not known.
Json parameters_saved(const Judged& judged);
Json operations_saved(const Judged& judged);
Json time_saved(const Judged& judged);

// ---- tables ----
Table contribution_table(const AblationStudy& study, const std::vector<Judged>& judged, const std::string& title);
/// The columns of a paper.
Table paper_table(const AblationStudy& study, const std::vector<Judged>& judged);
Table variance_table(const AblationStudy& study);  ///< analysis of variance of a factorial design; or no rows
Table shapley_table(const AblationStudy& study);   ///< worth of a component, averaged over all orders; or no rows
/// Replicates of each variant in a study that looks at them, and why no more; else no rows.
/// @param only  this variant; empty: all of them
Table looks_table(const AblationStudy& study, const std::string& only = {});
/// Settings that each retuned variant runs with, the trial that won, its objective on the seed of tuning, and which
/// settings it keeps as written; else no rows.
Table retuned_table(const OpenedStudy& opened, const AblationStudy& study);
/// Claim of the report: its comparisons, their population, and the reasons to doubt it.
Table claim_table(const AblationStudy& study, const std::vector<Judged>& judged);
/// A paragraph for the paper.
std::string methods_paragraph(const AblationStudy& study, const std::vector<Judged>& judged);

}  // namespace dlrun::report
