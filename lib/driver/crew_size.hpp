// SPDX-License-Identifier: Apache-2.0
// How many workers a run starts, and how many lanes a new study has.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "driver/driver.hpp"

namespace dlrun::driver {

/// Workers that can have work at once.
int useful_workers(const spec::StudySpec& spec);

/// Workers to start: as asked for, else as many as cores and places on GPUs allow; never more than pieces in flight.
int worker_count(const Options& options, const spec::StudySpec& spec, const std::vector<std::string>& gpus);

/// The study with a number of lanes, where its file leaves it open: that of its store, or of a new one by its workers.
spec::StudySpec with_lanes(const spec::StudySpec& file, const Options& options, const std::filesystem::path& folder);

/// Says how many lanes a new study has that left it open.
void tell_lanes(const Options& options, const spec::StudySpec& spec, Display& display);

/// Says which workers that were asked for are not started, because there are too few lanes, and that jobs are not
/// pinned.
void tell_unused(const Options& options, const spec::StudySpec& spec, Display& display);

}  // namespace dlrun::driver
