// SPDX-License-Identifier: Apache-2.0
// Commands to a study: to its driver where one is running, else into the store, where the next driver finds them.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "storage/store.hpp"
#include "util/json.hpp"

namespace dlrun::cli {

struct Steered {
  bool is_running = false;  ///< a driver took the command
  Json reply;               ///< answer of the driver
};

/// Asks the driver; where none is running, opens the store and lets `offline` write, in one durable transaction.
/// @throws Error(usage) where the driver refuses, Error(store) where the study is held by a driver that cannot be
/// asked.
Steered steer(const std::filesystem::path& store, const std::string& study, const Json& request,
              const std::function<void(storage::Store&)>& offline);

/// Changes a study that no driver holds, in one durable transaction. @throws Error(store) where one does.
void write_to_study(const std::filesystem::path& folder, const std::string& study,
                    const std::function<void(storage::Store&)>& change);

}  // namespace dlrun::cli
