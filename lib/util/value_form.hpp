// SPDX-License-Identifier: Apache-2.0
// The forms a value may have, as the tables of models and data sets write them down, and what is said of one that has
// another. A type is one of these, or several joined by "-or-":
//   int, float, bool, string
//   pair                 two ints, [vertical, horizontal]
//   shape                one to four ints
//   ints                 one to 64 ints
//   nodes                a list of layers
//   list                 names or numbers of columns, or one of them
//   map                  keys of its own
//   numbers              a number, or a list of numbers
//   names                a map of any names to texts
//   columns              a map of any names, each to columns as `list` has them
//   enum:a|b|c           one of these texts
// e.g. "int-or-pair-or-enum:same|valid".
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun {

struct ValueForm {
  std::string type;
  std::optional<double> low;  ///< both ends are inside; holds for every number in a pair or shape
  std::optional<double> high;
  std::optional<double> implied_high;  ///< for ints without a `high`; named only to somebody who went beyond it
};

bool has_form(const Json& value, const ValueForm& form);

/// "'k' must be a whole number of at least 1, or a pair of them, [vertical, horizontal], but is "big"".
std::string describe_misfit(const std::string& name, const ValueForm& form, const Json& found);

/// "did you mean 'same'?" where a text is near to one of an enum, else empty.
std::string hint_for_value(const ValueForm& form, const Json& found);

/// "did you mean 'x'?", or where nothing is near "there are a, b, c", at most twenty.
std::string hint_for_name(const std::string& name, const std::vector<std::string>& known);

/// The value as it stands in a message: JSON, at most about 60 bytes, valid UTF-8.
std::string quoted(const Json& value);

}  // namespace dlrun
