// SPDX-License-Identifier: Apache-2.0
// How the workers of a study are to be had from a plugin.
#pragma once
#include <filesystem>
#include <optional>

#include "driver/driver.hpp"
#include "executor/plugin_executor.hpp"
#include "spec/study_spec.hpp"
#include "storage/rows.hpp"

namespace dlrun::driver {

/// Settings of the plugin that starts workers; nullopt: none does. The run's choice goes before the study's.
/// @throws Error(usage) if there is no plugin of the run's choice, or it requires a key that only a study could have
std::optional<spec::PluginJobs> plugin_jobs_of(const spec::StudySpec& spec, const Options& options);

/// Options of its workers for a study. Parameters and errors as those of slurm_options().
executor::PluginOptions plugin_options(const spec::StudySpec& spec, const spec::PluginJobs& jobs,
                                       const std::filesystem::path& folder, const std::filesystem::path& binary,
                                       const Options& options, int wake_fd);

/// The plugin itself, for the lineage.
storage::Executor recorded(const spec::PluginJobs& jobs);

/// A line about the plugin for people: name, version, hash of its file.
std::string describe(const spec::PluginJobs& jobs);

}  // namespace dlrun::driver
