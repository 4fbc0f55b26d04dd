// SPDX-License-Identifier: Apache-2.0
// `space:` to parameters: domains, conditions, and the places they set.
#pragma once

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

/// Whether some parameter sets the place, "optimizer.lr".
bool is_set(const Json& space, const std::string& place);

/// Values that a place has in the study's trials: the base's, unless parameters always set it, and theirs, of a range
/// the ends.
std::vector<Json> values_in_study(const Json& trial, const Json& space, const std::string& place);

/// Whether a parameter may have the name, and what such names are.
bool is_parameter_name(const std::string& name);
inline constexpr const char* kParameterNames = "a letter or '_', then up to 99 letters, digits, '_', '-' or '.'";

/// The largest number of batches that a step may have (`accumulate`).
int most_batches(const Json& trial, const Json& space);

/// Path of a parameter in faults: "space.lr".
std::string path_of(const Json& parameter);

}  // namespace dlrun::spec
