// SPDX-License-Identifier: Apache-2.0
// Work of members of trials that is the same in any studies.
#pragma once
#include <string>

#include "spec/study_spec.hpp"

namespace dlrun::spec {

/// SHA-256 of all that a member's result follows from, within a numerics class: its trial's configuration with edits
/// and values, seed, replicate, fold, the data's content, the objective (whose best epoch is kept), threads. Paths,
/// limits, names and numbers of trials are not among it, nor the replicate's place in its study.
std::string work_hash(const StudySpec& spec, const space::Values& values, const trial::Member& member);

/// The same of a configuration that has its values already, or of a part of one.
std::string config_hash(const StudySpec& spec, const Json& config, const trial::Member& member);

/// Whether the trial is a variant that begins with the weights of the baseline, and so depends on the baseline too.
bool begins_after_baseline(const StudySpec& spec, const space::Values& values);

/// Whether identical work of earlier studies of the store is cited instead of done again: `reuse:`, by default `all` of
/// an ablation and `stages` of a search. Programs are never cited, because nobody knows their code.
bool reuses_trials(const StudySpec& spec);

}  // namespace dlrun::spec
