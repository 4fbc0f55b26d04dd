// SPDX-License-Identifier: Apache-2.0
// The plan of an ablation to and from the normal form of its study; the keys of `ablation:`. No other source
// but SQL knows the names that a plan has in JSON.
#pragma once
#include <functional>

#include "ablation/plan.hpp"
#include "ablation/selector.hpp"
#include "options/field.hpp"

namespace dlrun::ablation {

/// `ablation` of a study: the keys that documents are read by.
const options::Key& ablation_key();

const options::Fields<Selector>& selector_fields();
const options::Fields<Component>& component_fields();
const options::Fields<Section>& section_fields();

/// @param json  an entry of `components`, in which a value may be null. REQUIRES: its id is a text.
Component component_of(const Json& json);

/// The section as far as it could be read: a value with a fault is null there, and has its default here.
/// @param json  `ablation:` as document::read() leaves it
Section section_of(const Json& json);

/// The plan of a study's normal form; nullopt if the study is no ablation.
/// @throws Error(usage) for a value that no version of dlrun writes
std::optional<Plan> plan_of(const Json& study);

/// Puts the plan into the normal form: study["ablation"] and study["derived"]["ablation"].
void write_plan(const Plan& plan, Json& study);

/// Leaves in a normal form only the parts of the plan that decide results.
/// @param strip  does so with the edits of a variant
void strip_plan(Json& study, const std::function<void(Json& edits)>& strip);

/// Takes over from a recorded study which seeds its tunings search with: studies of earlier versions keep theirs.
void keep_seeds(const Json& recorded, Json& study);

}  // namespace dlrun::ablation
