// SPDX-License-Identifier: Apache-2.0
// `drop_feature` and `drop_channel`: columns of tables and series, channels of images, removed or made to say nothing.
#pragma once
#include <vector>

#include "spec/ablation_components.hpp"

namespace dlrun::spec {

/// The component with the features it names; with `as: each` one unit for each of them.
/// @param data  `trial.data`, normal form
/// @throws ablation::Refused E201 where the data has no such feature, E204 where `as` has to be said.
std::vector<Unit> feature_units(const Unit& unit, const Json& data);

/// What leaves the features of all units out: places of the trial and their values, {data.drop: […], data.replace:
/// {…}}. Channels are told by their numbers in the files, whatever `data.channels` keeps.
/// @throws ablation::Refused E212 where two units treat one feature differently.
Json without_features(const Json& data, const std::vector<const Unit*>& units);

}  // namespace dlrun::spec
