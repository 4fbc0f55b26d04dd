// SPDX-License-Identifier: Apache-2.0
// Population of which verdicts hold (`analysis.claims`), and the folds that replicates are judged on.
#pragma once
#include "ablation/checker.hpp"
#include "ablation/plan.hpp"
#include "ablation/units.hpp"

namespace dlrun::ablation {

/// Names the claim of a section that names none: data where trials give a value for each validation example, and
/// replicates are several, of one split and judged by the t test; else split.
void settle_claim(Section& section, const std::vector<Unit>& units, const Json& study);

/// Faults of `claims` and `replicates.splits`: trials that give no value for each validation example, components that
/// make other examples, keys that contradict each other or change nothing.
void check_claims(const Section& section, const std::vector<Unit>& units, const Json& study, Faults& faults);

/// Folds of train + val, one for each replicate, which every replicate but one trains on. Their number; 0: replicates
/// share a split, because it is asked for or the data itself says which rows are for validation. Where the claim is not
/// written, they also do if folds cannot be drawn, or if trainings begin with weights that may have seen other rows;
/// then it becomes `model`.
int settle_folds(Section& section, const std::vector<Unit>& units, const Json& study, const Checker& checker,
                 Faults& faults);

/// The trial of a study with its split in so many folds. The test split keeps its share, and val the whole number of
/// folds that comes nearest to its own.
Json in_folds(const Json& study, int folds);

/// The fold that a replicate is judged on, from 0; replicates that tune have those of the first ones.
int fold_of(const Plan& plan, std::int64_t replicate);

/// The claim of a plan in words, for a person.
/// @param trial  in normal form
std::string claim_text(const Plan& plan, const Json& trial);

}  // namespace dlrun::ablation
