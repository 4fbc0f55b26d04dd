// SPDX-License-Identifier: Apache-2.0
// Plugins of kind data, as formats.
#pragma once
#include <string>

#include "plugin/found.hpp"

namespace dlrun::dataset {

/// Why a plugin of kind data that fits is no format all the same: its name or one of its keys is taken. Empty: it is
/// one.
std::string refusal(const plugin::Found& found);

}  // namespace dlrun::dataset
