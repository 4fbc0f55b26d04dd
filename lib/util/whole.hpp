// SPDX-License-Identifier: Apache-2.0
// Whole numbers in JSON of others: reading a real number as one is undefined where it is out of range (1e300).
#pragma once
#include <cstdint>
#include <vector>

#include "util/json.hpp"

namespace dlrun {

/// Whole: int, std::int64_t or std::uint64_t. @throws Json::type_error if the number is not whole or Whole lacks it.
template <class Whole>
Whole whole(const Json& json);

/// Whole number of a key; `otherwise` where there is none.
std::int64_t whole_or(const Json& map, const char* key, std::int64_t otherwise);

std::vector<std::int64_t> wholes(const Json& list);

}  // namespace dlrun
