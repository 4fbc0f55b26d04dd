// SPDX-License-Identifier: Apache-2.0
#include "util/whole.hpp"

#include <utility>

namespace dlrun {

template <class Whole>
Whole whole(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (std::in_range<Whole>(number)) return static_cast<Whole>(number);
  } else if (json.is_number_integer()) {
    const auto number = json.get<std::int64_t>();
    if (std::in_range<Whole>(number)) return static_cast<Whole>(number);
  }
  throw Json::type_error::create(302, "a whole number in range is wanted here", &json);
}

template int whole<int>(const Json& json);
template std::int64_t whole<std::int64_t>(const Json& json);
template std::uint64_t whole<std::uint64_t>(const Json& json);

std::int64_t whole_or(const Json& map, const char* key, std::int64_t otherwise) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : whole<std::int64_t>(*found);
}

std::vector<std::int64_t> wholes(const Json& list) {
  if (!list.is_array()) throw Json::type_error::create(302, "a list is wanted here", &list);
  std::vector<std::int64_t> out;
  for (const Json& item : list) out.push_back(whole<std::int64_t>(item));
  return out;
}

}  // namespace dlrun
