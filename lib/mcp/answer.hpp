// SPDX-License-Identifier: Apache-2.0
// Answer of a tool within its bounds: data for the agent's program, and the same as a text for its model.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::mcp {

/// Data may hold texts that anybody wrote: names, notes, logs. They are marked as data of the store.
struct Answer {
  Json data = Json::object();  ///< an object
  bool is_error = false;
};

/// Bounds of one answer.
struct Bounds {
  std::size_t bytes = 60'000;  ///< the data as JSON has at most so many
  std::size_t text = 4'000;    ///< each text in it has at most so many
};

/// Text that stands before the data of every answer.
extern const char* const kMark;

/// The same data within the bounds: long texts are cut, then rows are left out from the end of the longest list. Each
/// cut is said in `cut`, a list of sentences.
Json bounded(Json data, const Bounds& bounds = {});

/// Result of tools/call.
Json result_of(const Answer& answer, const Bounds& bounds = {});

}  // namespace dlrun::mcp
