// SPDX-License-Identifier: Apache-2.0
// Numbers that must not be mixed up: a TrialId is not an int.
#pragma once
#include <compare>
#include <cstdint>

namespace dlrun {

/// A number with a meaning. Ids count from 0 and are never reused; -1 means none.
template <class Tag>
struct Id {
  std::int64_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(std::int64_t v) : value(v) {}
  constexpr bool exists() const { return value >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace dlrun
