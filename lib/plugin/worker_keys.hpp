// SPDX-License-Identifier: Apache-2.0
// Keys of plugin.yaml that layers, losses, metrics and optimisers have beside those of all kinds.
#pragma once
#include "options/key.hpp"

namespace dlrun::plugin {

options::Table layer_keys();
options::Table loss_keys();
options::Table metric_keys();
options::Table optimizer_keys();

}  // namespace dlrun::plugin
