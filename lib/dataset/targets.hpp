// SPDX-License-Identifier: Apache-2.0
// Several things to be predicted, each by its name: `target: {species: 4, size: [5, 6]}`.
#pragma once
#include <string>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// A target and its values, [examples, …] as Dataset::targets.
struct TargetValues {
  Target target;
  Array values;
};

/// Puts them into a data set: one without a name alone, those with names side by side. REQUIRES: there is one.
void set_targets(Dataset& dataset, std::vector<TargetValues> targets);

/// The first target with classes, else the first: rows are divided and drawn by it. REQUIRES: there is one.
std::size_t leading(const std::vector<Target>& targets);

/// Names of targets are letters, digits, _ and -. @throws DataError at `key`.
void check_target_names(const Json& map, const std::string& key);

/// `task` of one target: of the section, or under its name in a map. @throws DataError: no auto, classification, ….
std::string task_of(const Json& data, const std::string& target);
/// @throws DataError: `task` names a target that is none.
void check_tasks(const Json& data, const std::vector<std::string>& targets);

}  // namespace dlrun::dataset
