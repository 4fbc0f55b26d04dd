// SPDX-License-Identifier: Apache-2.0
// `space:` to parameters: domains, conditions, and the places they set.
#pragma once
#include <cstdint>
#include <vector>

#include "document/node.hpp"
#include "space/space.hpp"
#include "spec/places.hpp"
#include "spec/reading.hpp"

namespace dlrun::spec {

/// Normal form of `space:`: a list of parameters in the order written, each with its `name`. Types, ranges and names of
/// keys are checked, domains and conditions too; what is wrong is reported and left out.
Json read_space(const document::Node& node, Faults& faults);

/// Each `at:` must be a place of the trial that takes the parameter's values; where it is left out and the name is a
/// place, it is filled in. No two parameters may set one place together.
void check_places(Json& space, const Json& trial, Faults& faults);

/// The normal form as the value the search works on: study["space"] and study["constraints"]. REQUIRES: no faults.
space::Space make_space(const Json& space, const Json& constraints = Json());

/// The same, with what the variants of an ablation edit (study["derived"]["ablation"]).
space::Space space_of(const Json& study);

/// Settings of variant `id` in the trial, {place: value}; empty if the study has no such variant.
Json variant_edits(const Json& study, const Json& id);

/// Settings of replicate `number` of an ablation in the trial, beside its number; empty unless splits vary.
Json replicate_edits(const Json& study, const Json& number);

/// Settings of the trial of tuning `number`, counted from 1, beside those that are tuned: a replicate of its own, from
/// the largest one downwards. Empty if the study retunes nothing.
Json tuning_edits(const Json& study, const Json& number);

/// Parameters of an ablation's cells; part of the format. Only one that retunes has the last two.
inline constexpr const char* kVariant = "variant";
inline constexpr const char* kReplicate = "replicate";
inline constexpr const char* kPurpose = "purpose";
inline constexpr const char* kComparison = "comparison";
inline constexpr const char* kTuning = "tuning";             ///< a purpose, and the parameter that numbers tunings
inline constexpr std::int64_t kFirstTuning = 1'000'000'000;  ///< replicate of tuning 1

/// Whether some parameter sets the place, "optimizer.lr".
bool is_set(const Json& space, const std::string& place);

/// Path of a parameter in faults: "space.lr".
std::string path_of(const Json& parameter);

}  // namespace dlrun::spec
