// SPDX-License-Identifier: Apache-2.0
// Code of plugins, opened and called: in workers, and in the driver's helper process; never in the driver.
#pragma once
#include <memory>
#include <string>

#include "plugin/found.hpp"

namespace dlrun::plugin {

/// The C symbol that makes the object of a kind: "dlrun_plugin_layer".
std::string symbol_of(Kind kind);

/// The address of the plugin's symbol; its object is opened at the first call and never closed.
/// @throws Error(usage), naming plugin and file, where there is none
void* open_symbol(const Found& plugin);

/// Compares the plugins that a study was decided with and those that are here.
/// @param facts  {name: {kind, version, sha256}}, or null
/// @throws Error(outside) with both hashes of the first that differs, or naming what is not here
void require_same(const Json& facts);

/// While one lives, code of the plugin runs in this thread. Should the process end meanwhile, name_of_running() says
/// so.
class Running {
 public:
  explicit Running(const std::string& name);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  const char* before_;
};

/// The plugin whose code some thread of this process ran last and has not left; nullptr: none. For signal handlers.
const char* name_of_running() noexcept;

}  // namespace dlrun::plugin
