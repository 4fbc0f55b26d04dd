// SPDX-License-Identifier: Apache-2.0
// Settings that are outside of a study's hash, because no result depends on them: they may change with every run, and
// the newest hold for all that follows.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.hpp"
#include "spec/study_spec.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// Settings that are not in the store yet.
struct NewSettings {
  storage::StudyRow row;
  std::vector<std::string> changes;  ///< "final.epochs: 6 -> 8"
};

/// Settings in which the spec differs from the study's; nullopt: none. REQUIRES: both have the same hash.
std::optional<NewSettings> new_settings(const storage::StudyRow& before, const spec::StudySpec& now);

/// Records them in the open transaction, and shows the changes.
void record(const NewSettings& settings, storage::Store& store, Display& display);
/// The same in a transaction of its own.
void record_alone(const NewSettings& settings, storage::Store& store, Display& display);

}  // namespace dlrun::driver
