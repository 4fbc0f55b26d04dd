// SPDX-License-Identifier: Apache-2.0
// First epochs that members train alike, decided by their settings alone.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/study_spec.hpp"

namespace dlrun::spec {

/// Element k is a SHA-256 of all that the state of a training follows from after k + 1 epochs, within a numerics class:
/// model, data, seed and replicate, optimiser, batches, what is measured, and the rates and momenta of every step until
/// then (stages of Hippo: Shin et al., arXiv:2006.11972, 3.1). Schedules are compared by what they do, not by how they
/// are written: a milestone that comes later, or a longer trial at the same rates, is the same until then.
///
/// Decisions that follow from measurements are compared by their rules: `stop` must be equal, and `plateau` too, but
/// for its first patience + 1 epochs, in which it cannot have acted. Empty: shares nothing, for it begins with the
/// weights of others, or is no training.
using Prefix = std::vector<std::string>;

/// @param values  of the member's trial. Its length is that of the trial (`epochs`).
Prefix prefix_of(const StudySpec& spec, const space::Values& values, const trial::Member& member);

/// Prefixes of trials. A prefix is also empty if the trial's settings differ from all others', which takes no schedule
/// to see.
std::vector<Prefix> prefixes_of(const StudySpec& spec, const std::vector<space::Values>& trials,
                                const trial::Member& member);

/// Number of epochs that are the same from the first one on.
std::int64_t shared_epochs(const Prefix& a, const Prefix& b);

/// Do trials share what they have in common? `reuse:`, where it is not written `stages` of a search, `all` of an
/// ablation. It decides nothing: results are the same either way.
bool shares_stages(const StudySpec& spec);

/// The trials of a search that are known before the first one starts: those asked for, then the points of a grid, as
/// far as `limits.trials` goes. Empty: they depend on results, on chance, or are too many (above 4096).
std::vector<space::Values> planned_trials(const StudySpec& spec);

}  // namespace dlrun::spec
