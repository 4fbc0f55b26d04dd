// SPDX-License-Identifier: Apache-2.0
// The JSON inside a frame, one shape for each message. Private to this room.
#pragma once
#include <cstdint>
#include <string_view>

#include "protocol/messages.hpp"

namespace dlrun::protocol {

/// The type byte of a frame: the message's place in the variant, from 1. Part of the format, do not renumber.
std::uint8_t type_of(const Message& message);

/// "assign"; empty for a number that is no type.
std::string_view type_name(std::uint8_t type);

Json to_json(const Message& message);

/// @throws Error(usage) naming the message and its fault: no JSON, nesting deeper than 64, a member.
Message read_payload(std::uint8_t type, std::string_view text);

}  // namespace dlrun::protocol
