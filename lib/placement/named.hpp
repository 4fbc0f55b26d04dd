// SPDX-License-Identifier: Apache-2.0
// Things that people ask for by name.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "util/error.hpp"
#include "util/hints.hpp"

namespace dlrun::placement {

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.emplace_back(one.name);
  return names;
}

/// @param kind  noun of the message, such as "placer"
/// @throws Error(usage) with the nearest known name
template <class Named>
const Named& named(const std::vector<Named>& all, const std::string& name, const char* kind) {
  for (const Named& one : all) {
    if (one.name == name) return one;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no {} '{}'", kind, name), hint_for_name(name, names_of(all)));
}

}  // namespace dlrun::placement
