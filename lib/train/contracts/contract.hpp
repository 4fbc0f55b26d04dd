// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins of workers: whether one keeps what its header in include/dlrun/plugin asks of it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plugin/found.hpp"
#include "util/json.hpp"

namespace dlrun::train::contracts {

/// One test. `run` returns a line about what it has compared; it throws Broken, or what the plugin throws.
struct Check {
  std::string name;
  std::function<std::string()> run;
};

/// Exception for a broken contract: the plugin's act, and the right one.
struct Broken {
  std::string message;
};

/// A plugin with a section of a study for it.
struct Tested {
  const plugin::Found& plugin;
  Json section;  ///< {op: NAME, key: value}

  const Json& manifest() const { return plugin.manifest->whole; }
};

// REQUIRES of each: `tested` outlives the checks.
std::vector<Check> layer_checks(const Tested& tested);
std::vector<Check> loss_checks(const Tested& tested);
std::vector<Check> metric_checks(const Tested& tested);
std::vector<Check> optimizer_checks(const Tested& tested);

}  // namespace dlrun::train::contracts
