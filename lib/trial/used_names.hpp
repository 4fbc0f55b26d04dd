// SPDX-License-Identifier: Apache-2.0
// Names of a model's `let` when other values take the place of those that used them.
#pragma once
#include "util/json.hpp"

namespace dlrun::trial {

/// Removes from `model.let` what `before` used and `model` uses no more: a name that nothing uses would be a fault of
/// who wrote it, and here a value was set where the name stood.
void forget_unused_names(const Json& before, Json& model);

}  // namespace dlrun::trial
