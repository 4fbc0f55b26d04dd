// SPDX-License-Identifier: Apache-2.0
// JSON by name. Objects keep their keys sorted, so dump() of equal values gives equal bytes. Include json_fwd where a
// name is enough: the whole header costs four seconds.
#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace dlrun {

using Json = nlohmann::json;

/// Compact text, invalid UTF-8 replaced: never throws. NaN and infinities become null (JSON has none).
std::string to_text(const Json& value);

/// @throws Error(kind usage) naming `what` when text is no JSON, nests deeper than 64 or holds numbers out of range.
Json parse_json(std::string_view text, const std::string& what);

}  // namespace dlrun
