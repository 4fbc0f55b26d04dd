// SPDX-License-Identifier: Apache-2.0
// `drop_feature` and `drop_channel`: columns of tables and series, channels of images, removed or made uninformative.
#pragma once
#include <vector>

#include "ablation/units.hpp"

namespace dlrun::ablation {

/// The component with the features it names; with `as: each` one unit for each of them.
/// @param data  `trial.data`, normal form
/// @throws Refused E201 if the data has no such feature, E204 if `as` has to be said.
std::vector<Unit> feature_units(const Unit& unit, const Json& data);

/// Settings that leave the features of all units out: places of the trial and their values, {data.drop: […],
/// data.replace: {…}}. Channels have their numbers in the files, whatever `data.channels` keeps.
/// @throws Refused E212 if two units treat one feature differently.
Json without_features(const Json& data, const std::vector<const Unit*>& units);

}  // namespace dlrun::ablation
