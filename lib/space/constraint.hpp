// SPDX-License-Identifier: Apache-2.0
// Constraints on given values. For this room and the spec.
#pragma once
#include "space/space.hpp"

namespace dlrun::space {

/// May the parameter stand in a sum? float, int, and choices that are all numbers.
bool is_number(const Parameter& parameter);
/// A value as a number. REQUIRES: is_number, the value is set.
double number_of(const Space& space, std::size_t index, const Value& value);

/// Has the value what the clause names? An unset one has not.
bool matches(const Space& space, const Clause& clause, const Value& value);

/// Sums are compared up to rounding: 1e-12 of their largest part, an equality 1e-9.
bool holds(const Space& space, const Linear& linear, const Values& values);
bool holds(const Space& space, const Forbidden& forbidden, const Values& values);
bool holds(const Space& space, const Constraint& constraint, const Values& values);

}  // namespace dlrun::space
