// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins: whether one keeps what its interface asks of it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plugin/found.hpp"
#include "util/json.hpp"

namespace dlrun::cli {

/// One test. `run` returns a line about what it has measured; it throws Broken or Error if the contract is broken.
struct Check {
  std::string name;
  std::function<std::string()> run;
};

/// The end of a test.
struct Verdict {
  std::string test;
  bool has_passed = true;
  std::string detail;
};

/// Exception for a broken contract: the plugin's act, and the right one.
struct Broken {
  std::string message;
};

/// A plugin with a section of a study for it.
struct Tested {
  const plugin::Found& plugin;
  Json section;  ///< {op: NAME, key: value}; of a format the normal form of `data:`, with absolute paths
};

std::vector<Check> sampler_checks(const Tested& tested);
std::vector<Check> pruner_checks(const Tested& tested);
std::vector<Check> exporter_checks(const Tested& tested);
std::vector<Check> executor_checks(const Tested& tested);
std::vector<Check> data_checks(const Tested& tested);

}  // namespace dlrun::cli
