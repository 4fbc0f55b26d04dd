// SPDX-License-Identifier: Apache-2.0
// Client of a driver's socket, for commands of people.
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "util/json.hpp"

namespace dlrun::executor {

/// Sends a request and waits for the reply. nullopt: no driver listens there (any more), or it ended meanwhile.
/// @throws Error(outside) if the driver does not answer in time, or with another message.
std::optional<Json> ask(const std::string& socket, const Json& request,
                        std::chrono::milliseconds limit = std::chrono::milliseconds(2000));

}  // namespace dlrun::executor
