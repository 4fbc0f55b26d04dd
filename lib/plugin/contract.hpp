// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins: whether one keeps what its interface asks of it. `dlrun plugins test` runs them.
#pragma once
#include <functional>
#include <string>

#include "plugin/found.hpp"
#include "util/json.hpp"

namespace dlrun::plugin {

/// One test. `run` returns a line about what it has measured; it throws Broken, or what the plugin throws.
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
  const Found& plugin;
  Json section;  ///< {op: NAME, key: value}; of a format the normal form of `data:`, with absolute paths

  const Json& manifest() const { return plugin.manifest->whole; }
};

}  // namespace dlrun::plugin
