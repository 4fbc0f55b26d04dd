// SPDX-License-Identifier: Apache-2.0
// dlrun export --to NAME [-o DIR] [--set KEY=VALUE]… [STUDY…]: studies in the format of a plugin.
#pragma once

namespace dlrun::cli {

class Arguments;
class Console;

/// @throws Error(usage) for options of other exports, an unknown plugin, a wrong setting or a folder that may not be
/// replaced; Error(outside) where the plugin fails
int export_for_plugin(const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
