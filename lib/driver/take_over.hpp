// SPDX-License-Identifier: Apache-2.0
// One driver takes a study from another, wherever that runs and whatever has become of it.
#pragma once
#include <filesystem>
#include <string>

#include "driver/driver.hpp"

namespace dlrun::driver {

/// Takes the study from the driver that holds it, if there is one: asks that driver to save and end, and waits for
/// that. A driver that does not answer, or runs on another machine, is fenced: its lock is revoked, so it ends before
/// its next transaction and writes nothing any more. Afterwards the study can be opened.
/// @throws Error(outside) if the lock's file cannot be replaced.
void take_over(const std::filesystem::path& store, const std::string& study, Display& display);

}  // namespace dlrun::driver
