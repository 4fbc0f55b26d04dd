// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins whose code workers run, by their headers in include/dlrun/plugin.
#pragma once
#include <vector>

#include "plugin/contract.hpp"

namespace dlrun::train::contracts {

using plugin::Broken;
using plugin::Check;
using plugin::Tested;

// REQUIRES of each: `tested` outlives the checks.
std::vector<Check> layer_checks(const Tested& tested);
std::vector<Check> loss_checks(const Tested& tested);
std::vector<Check> metric_checks(const Tested& tested);
std::vector<Check> optimizer_checks(const Tested& tested);

}  // namespace dlrun::train::contracts
