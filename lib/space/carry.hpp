// SPDX-License-Identifier: Apache-2.0
// Points of one space as points of another: parameters match by their names, values by their meaning.
#pragma once
#include <string>
#include <vector>

#include "space/space.hpp"

namespace dlrun::space {

/// How a parameter of one space meets the one of that name in another.
struct Meeting {
  /// shared: some value is of both domains; disjoint: none is; contradictory: values of one can never be values of the
  /// other (a number and a choice, a float and an int); missing: the other space has no such parameter.
  enum class Kind { shared, disjoint, contradictory, missing };
  std::string name;
  Kind kind = Kind::shared;
  std::string text;  ///< "float 0 to 1 there, int 1 to 9 here"; empty where shared
};

/// Every parameter of `to`, in order. A scale or a step does not matter here: values are carried as they are. A
/// constant meets a number or choices by its value.
std::vector<Meeting> meetings(const Space& from, const Space& to);

/// A point that was carried, or why it was not.
struct Carried {
  Values values;        ///< values for `to`; a parameter that only `to` has is unset, as if it were not active
  std::string outside;  ///< "'lr' is outside of its domain"; empty: it was carried
};

/// REQUIRES: from.contains(values), no meeting is contradictory.
Carried carried(const Space& from, const Values& values, const Space& to);

/// A point of a space to which parameters were added at its end: those that are active get their default.
/// @param defaults  of the new parameters, in order
Values widened(const Space& to, Values values, const Values& defaults);

/// "float 0.1 to 1, log", "one of sgd, adam"
std::string domain_text(const Parameter& parameter);

}  // namespace dlrun::space
