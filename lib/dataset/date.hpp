// SPDX-License-Identifier: Apache-2.0
// Dates and times of ISO 8601 as numbers.
#pragma once
#include <optional>
#include <string_view>

namespace dlrun::dataset {

/// Days since 1970-01-01 00:00, the time of day as a fraction: 2026-01-31, 2026-01-31 23:59, 2026-01-31T23:59:59.5Z.
/// An offset (+01:00) is taken away, so that the number is of UTC; without one the time stands as it is.
/// Years 0001 to 9999 of the Gregorian calendar; leap seconds are none. @return nullopt for anything else.
std::optional<double> parse_date(std::string_view text);

}  // namespace dlrun::dataset
