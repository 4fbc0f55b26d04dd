// SPDX-License-Identifier: Apache-2.0
// Where a fault lies, in front of its message.
#pragma once
#include <string>

#include "util/error.hpp"

namespace dlrun {

/// "train.txt:3:7: "; empty where the fault has no place, or its message names it.
std::string place_prefix(const Error& fault);

}  // namespace dlrun
