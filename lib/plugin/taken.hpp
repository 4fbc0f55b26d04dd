// SPDX-License-Identifier: Apache-2.0
// Names that plugins cannot have, because dlrun has something of that name itself.
#pragma once
#include <string>

#include "plugin/manifest.hpp"

namespace dlrun::plugin {

/// Whether dlrun has one of this kind itself. Rooms above have the things themselves; tests compare the names.
bool is_built_in(Kind kind, const std::string& name);

}  // namespace dlrun::plugin
