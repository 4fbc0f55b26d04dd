// SPDX-License-Identifier: Apache-2.0
// Rules that all executors share whose workers come from elsewhere by themselves.
#pragma once
#include <filesystem>
#include <string>

#include "driver/driver.hpp"
#include "executor/job_options.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

struct JobsWish {
  const spec::StudySpec& spec;
  const std::filesystem::path& folder;  ///< folder of the store
  const std::filesystem::path& binary;  ///< worker program, absolute
  const Options& options;
  const std::string& listen;  ///< address in the study's section, behind the run's own choice; empty: all addresses
  int wake_fd = -1;           ///< ends the wait of the executor when it becomes readable
};

/// Sets what is the same wherever the workers run. They wait half an hour for a driver that was killed.
/// @throws Error(usage) as executor::runtime_folder()
void fill_jobs(executor::JobOptions& out, const JobsWish& wish);

}  // namespace dlrun::driver
