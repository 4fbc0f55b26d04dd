// SPDX-License-Identifier: Apache-2.0
// The driver's calls to a plugin, and the answers.
#pragma once
#include "util/descriptor.hpp"

namespace dlrun {

/// Opens the plugin that the first frame names and answers calls until the driver hangs up.
void hold_conversation(Descriptor socket);

}  // namespace dlrun
