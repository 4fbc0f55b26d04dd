// SPDX-License-Identifier: Apache-2.0
// Arguments of a tool, as data: one table makes the JSON Schema that agents see and checks the values that they send.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::mcp {

enum class Type {
  text,
  whole,   ///< a whole number
  number,  ///< any number
  flag,
  texts,  ///< a list of texts
  values  ///< an object whose values are texts, numbers or flags
};

struct Parameter {
  std::string name;
  Type type = Type::text;
  std::string text;  ///< one sentence for the agent
  bool is_required = false;
  std::vector<std::string> choices = {};  ///< right values for a text; empty: any
  std::int64_t least = 0;                 ///< bound for a whole number
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::size_t longest = 1000;  ///< bytes of each text
  std::size_t count = 100;     ///< elements of a list or an object, at most
};

using Parameters = std::vector<Parameter>;

/// JSON Schema of the arguments as an object, which has no others.
Json schema_of(const Parameters& parameters);

/// @throws Error(usage) for the first argument that is unknown, missing, of another type or out of its bounds
void check(const Parameters& parameters, const Json& arguments);

}  // namespace dlrun::mcp
