// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins whose code the driver runs.
#pragma once
#include <string>
#include <vector>

#include "plugin/contract.hpp"

namespace dlrun::cli {

using plugin::Broken;
using plugin::Check;
using plugin::Tested;

/// The end of a test.
struct Verdict {
  std::string test;
  bool has_passed = true;
  std::string detail;
};

std::vector<Check> sampler_checks(const Tested& tested);
std::vector<Check> pruner_checks(const Tested& tested);
std::vector<Check> exporter_checks(const Tested& tested);
std::vector<Check> executor_checks(const Tested& tested);
std::vector<Check> data_checks(const Tested& tested);

}  // namespace dlrun::cli
