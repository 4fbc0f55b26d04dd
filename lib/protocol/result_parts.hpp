// SPDX-License-Identifier: Apache-2.0
// Results that are too long for one frame.
#pragma once
#include <string>

#include "protocol/messages.hpp"

namespace dlrun::protocol {

/// Whether a result can be sent in several frames.
bool has_parts(const Result& result);

/// Frames of a result: the first ones have reports alone, the last one has everything else.
/// REQUIRES: has_parts().
std::string encode_in_parts(const Result& result);

}  // namespace dlrun::protocol
