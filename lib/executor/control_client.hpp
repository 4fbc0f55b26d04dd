// SPDX-License-Identifier: Apache-2.0
// The other end of a driver's socket, for people's commands.
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "util/json.hpp"

namespace dlrun::executor {

/// Sends a request and waits for the reply. nullopt: nobody listens there (any more), or the driver ended meanwhile.
/// @throws Error(outside) if the driver does not answer within `limit`, or answers something else.
std::optional<Json> ask(const std::string& socket, const Json& request,
                        std::chrono::milliseconds limit = std::chrono::milliseconds(2000));

}  // namespace dlrun::executor
