// SPDX-License-Identifier: Apache-2.0
// Events on their way into the log.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "executor/executor.hpp"
#include "storage/store.hpp"
#include "study/types.hpp"

namespace dlrun::driver {

/// An event that the next transaction records, and the worker that waits for an answer.
struct Incoming {
  study::Event event;
  std::int64_t worker = -1;  ///< to be acknowledged; -1: no worker waits
  std::optional<executor::AttemptKey> attempt = {};
  std::optional<storage::Citation> citation = {};  ///< set: no worker measured the result
};

/// In the order in which the events came.
using Inbox = std::vector<Incoming>;

}  // namespace dlrun::driver
