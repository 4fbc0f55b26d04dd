// SPDX-License-Identifier: Apache-2.0
// Whether a value has one of the forms that its key allows, and what is said of one that has another.
#pragma once
#include <limits>
#include <string>

#include "options/key.hpp"

namespace dlrun::options {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// "0.1", "12", "1e-06": as short as a person would write it.
std::string number_text(double value);

/// " from 0 to 1", " above 0", " of at least 1 and below 2"; empty if the key has no bounds.
std::string range_text(const Key& key);

bool takes(const Key& key, Form form);

/// @param most_integer  limit of integers whose key names none
bool has_form(const Json& value, const Key& key, double most_integer = kNoLimit);

/// A value of the form `numbers` with each number as a floating-point one; others unchanged. REQUIRES: has_form().
Json as_numbers(Json value, const Key& key);

/// The values that a key takes: "a whole number of at least 1, or one of auto, all".
std::string describe_forms(const Key& key);

/// "'k' must be a whole number of at least 1, or a pair of them, [vertical, horizontal], but is "big"". The limit
/// `most_integer` is named only to somebody who went beyond it.
std::string describe_misfit(const Key& key, const Json& found, double most_integer = kNoLimit);

/// "did you mean 'same'?" if a text is near to one of the key's words, else empty.
std::string hint_for_value(const Key& key, const Json& found);

}  // namespace dlrun::options
