// SPDX-License-Identifier: Apache-2.0
// Plugins that cannot be used, told where a study names one.
#pragma once
#include "document/diagnostic.hpp"

namespace dlrun::spec {

/// Gives every error about a name that does not exist the reason why the plugin of this name cannot be used.
void explain_unusable(document::Diagnostics& faults);

}  // namespace dlrun::spec
