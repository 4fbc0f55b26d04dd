// SPDX-License-Identifier: Apache-2.0
// Devices of a placed model and their simulated step, as `dlrun check` says them.
#pragma once
#include <optional>
#include <string>

#include "spec/study_spec.hpp"

namespace dlrun::plan {

/// "2 devices; a simulated step takes 1.2 ms, on one device 2 ms (costs estimated)"; nullopt: nothing is placed. The
/// base trial counts.
std::optional<std::string> device_plan(const spec::StudySpec& spec);

}  // namespace dlrun::plan
