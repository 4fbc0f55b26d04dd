// SPDX-License-Identifier: Apache-2.0
// Workers that a plugin starts somewhere.
#pragma once
#include "executor/hub.hpp"
#include "executor/plugin/options.hpp"

namespace dlrun::executor {

/// Executor whose start() has a plugin start workers, which connect by themselves. Three in a row that end before they
/// have connected stop the study: Error(no_worker) with what the last one printed. A plugin that fails stops it too:
/// Error(outside) from wait(), naming the plugin.
class PluginExecutor final : public Hub {
 public:
  explicit PluginExecutor(const PluginOptions& options);
};

}  // namespace dlrun::executor
