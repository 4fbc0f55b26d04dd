// SPDX-License-Identifier: Apache-2.0
// GPUs that a worker takes, for limits.gpu_hours.
#pragma once
#include <string>
#include <vector>

#include "driver/driver.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

/// GPUs, or the part of one, that a busy worker takes; 0: none. This machine's GPUs count only if workers run here:
/// jobs of a cluster or of a plugin have those that the study asks for.
/// @param here  GPUs of this machine that workers may get
double gpus_of_worker(const spec::StudySpec& spec, const Options& options, const std::vector<std::string>& here);

}  // namespace dlrun::driver
