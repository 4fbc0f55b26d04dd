// SPDX-License-Identifier: Apache-2.0
// Single values through the table of keys.
#pragma once
#include <optional>

#include "document/faults.hpp"
#include "document/node.hpp"
#include "options/key.hpp"

namespace dlrun::document {

/// Null, `~`, or a text that the environment left empty.
bool is_nothing(const Node& node);

/// A boolean, integer, real, text, choice, duration or plain value; null after a fault, which is reported.
Json read_scalar(const Node& node, const options::Key& key, const std::string& path, Faults& faults);

/// A scalar by its look; traps (010, numbers out of range) and values that are not finite are reported.
Json read_value(const Node& node, const std::string& path, Faults& faults);

/// "500ms", "90s", "10m", "1h30m", "2d" to seconds; nullopt: the text is no time.
std::optional<double> seconds(const std::string& text);

}  // namespace dlrun::document
