// SPDX-License-Identifier: Apache-2.0
#include "executor/plugin_executor.hpp"

#include "executor/plugin/pool.hpp"

namespace dlrun::executor {

PluginExecutor::PluginExecutor(const PluginOptions& options) : Hub(options, std::make_unique<PluginPool>(options)) {}

}  // namespace dlrun::executor
