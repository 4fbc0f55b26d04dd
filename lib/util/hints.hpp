// SPDX-License-Identifier: Apache-2.0
// Parts of messages about a wrong name or value.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun {

/// "did you mean 'x'?", or if nothing is near "there are a, b, c", at most twenty.
std::string hint_for_name(const std::string& name, const std::vector<std::string>& known);

/// The value as it stands in a message: JSON, at most about 60 bytes, valid UTF-8.
std::string quoted(const Json& value);

}  // namespace dlrun
