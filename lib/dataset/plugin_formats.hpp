// SPDX-License-Identifier: Apache-2.0
// Plugins of kind data, as formats.
#pragma once
#include <string>

#include "dataset/arrays/apart.hpp"
#include "plugin/found.hpp"

namespace dlrun::dataset {

/// Why a plugin of kind data that fits is no format all the same: its name or one of its keys is taken. Empty: it is
/// one.
std::string refusal(const plugin::Found& found);

/// The reading of all arrays that a normalised section of a plugin's kind names.
/// @throws DataError for a file that is missing
Reading reading_of(const Json& data, const Locations& where);

}  // namespace dlrun::dataset
