// SPDX-License-Identifier: Apache-2.0
// The grammar of a linear relation between parameters: `a + 2*b <= 1`, `lr_min < lr`, `0.5*(a - b) == c - 1`.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "space/space.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

/// The sum of factor * parameter, held against a bound.
struct Relation {
  std::map<std::string, double> factors;  ///< by name; none is 0
  space::Relation relation = space::Relation::at_most;
  double bound = 0;
};

/// A fault with its place in the text (bytes from 0).
class LinearError : public Error {
 public:
  LinearError(std::size_t at, std::size_t length, const std::string& message, const std::string& help = {})
      : Error(ErrorKind::usage, message, help), at(at), length(length) {}
  std::size_t at, length;
};

/// relation: sum ('<' | '<=' | '>' | '>=' | '==') sum; sum: product (('+' | '-') product)*; product: factor (('*' |
/// '/') factor)*; factor: number | name | '-' factor | '(' sum ')'. A name is the longest of `names` that stands there,
/// so that a-b is one parameter if there is such a one, else a difference.
/// @throws LinearError with the place of the first fault.
Relation parse_linear(const std::string& text, const std::vector<std::string>& names);

}  // namespace dlrun::spec
