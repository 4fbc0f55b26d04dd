// SPDX-License-Identifier: Apache-2.0
// Events and decisions as canonical JSON: equal values give equal bytes. Part of the format; a golden file guards it.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/rows.hpp"

namespace dlrun {
class JsonView;
}

namespace dlrun::storage {

/// Kinds of rows of the log. Part of the format, do not renumber.
enum class LogKind {
  decision = 0,
  piece_ended = 1,
  attempt_lost = 2,
  stop_asked = 3,
  resumed = 4,
  cancel_asked = 5,
  retry_asked = 6,
  test_measured = 7,
  learned = 8,
  enqueue_asked = 9,
  amended = 10,
  attempt_copied = 11,
  lane_added = 12
};

/// Number and name of every kind.
const std::vector<std::pair<LogKind, std::string_view>>& log_kind_names();
std::string_view to_string(study::DecisionKind kind);

/// A row of the log without its place in it.
struct Coded {
  LogKind kind = LogKind::decision;
  std::string body;  ///< compact JSON, keys sorted
};

Coded encode(const study::Event& event);
Coded encode(const study::Decision& decision);
/// @throws Error(store) for a kind or body that this program did not write.
LogRow decode(LogKind kind, std::string_view body);

/// One value of a parameter: null (not active), a number, or [index] for a choice.
Json to_json(const space::Value& value);
space::Value value_from_json(const JsonView& json);

}  // namespace dlrun::storage
