// SPDX-License-Identifier: Apache-2.0
// The space of an ablation: cells of a variant and a replicate, each of which is a trial, and the settings that each
// cell makes.
#pragma once
#include <cstdint>
#include <string>

#include "ablation/plan.hpp"
#include "space/space.hpp"

namespace dlrun::ablation {

/// Parameters of the cells; part of the format. Only an ablation that retunes has the last two.
inline constexpr const char* kVariant = "variant";
inline constexpr const char* kReplicate = "replicate";
inline constexpr const char* kPurpose = "purpose";
inline constexpr const char* kComparison = "comparison";
inline constexpr const char* kTuning = "tuning";             ///< a purpose, and the parameter that numbers tunings
inline constexpr std::int64_t kFirstTuning = 1'000'000'000;  ///< replicate of tuning 1

/// Whether a parameter of this name says which cell of an ablation a trial is. Programs do not get it unasked.
bool is_cell(const std::string& name);

/// Parameters of the space, in normal form.
/// @param constants  parameters that stand before the cells'
/// @param settings   parameters that are retuned, behind them
Json cell_space(const Plan& plan, const Json& constants, const Json& settings);

/// A lane for every run, as far as `search.lanes` goes: a run waits for no other, but at looks, and so any number of
/// workers has work.
std::int64_t lanes_of(const Plan& plan);

/// Settings of variant `id` in the trial, {place: value}; none if the plan has no such variant.
Json variant_edits(const Plan& plan, const Json& id);

/// Settings of replicate `number` beside its number; none unless splits vary.
/// @param seed  of the study
Json replicate_edits(const Plan& plan, std::uint64_t seed, const Json& number);

/// Settings of a trial of tuning `number`, counted from 1, beside those that are tuned: a replicate of its own, from
/// the largest there is downwards. None unless the plan retunes.
Json tuning_edits(const Plan& plan, std::uint64_t seed, const Json& number);

/// The space with the settings that each choice of a cell's parameter makes.
space::Space with_edits(const space::Space& plain, const Plan& plan, std::uint64_t seed);

}  // namespace dlrun::ablation
