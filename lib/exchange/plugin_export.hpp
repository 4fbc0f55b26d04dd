// SPDX-License-Identifier: Apache-2.0
// Studies in the format of a plugin.
#pragma once
#include <string>

#include "exchange/exported.hpp"
#include "util/json.hpp"

namespace dlrun::exchange {

/// Lets the exporter `plugin` write the folder, in a process of its own (guest/guest_exporter.hpp).
/// @param options  values of the plugin's keys
/// @throws Error(usage) the folder, or no such plugin; Error(store); Error(outside), also for a plugin that writes
/// nothing. The folder is not there then.
Exported export_by_plugin(const std::string& plugin, const Json& options, const ExportRequest& request);

}  // namespace dlrun::exchange
