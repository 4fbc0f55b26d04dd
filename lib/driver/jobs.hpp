// SPDX-License-Identifier: Apache-2.0
// Rules that all executors share whose workers come from elsewhere by themselves.
#pragma once
#include <filesystem>
#include <string>

#include "driver/driver.hpp"
#include "executor/hub_options.hpp"

namespace dlrun::driver {

/// Name of the workers or jobs of one study in one store, unlike those of all others.
std::string name_of_jobs(const std::filesystem::path& folder, const std::string& study);

/// How the driver listens for them. They wait half an hour for a driver that was killed.
/// @param listen  of the study's section; the run's own choice goes before it; empty: all addresses, any port
executor::NetworkOptions network_of_jobs(const std::filesystem::path& folder, const std::string& study,
                                         const Options& options, const std::string& listen);

}  // namespace dlrun::driver
