// SPDX-License-Identifier: Apache-2.0
// A problem for CP-SAT, in its terms: whole variables, constraints on them, and one variable that is to be least.
#pragma once
#include <limits>

#include "cpsat/wire.hpp"

namespace dlrun::cpsat {

using Variable = int;  ///< by number; the literal of a variable of 0 or 1 has the same number
using Literal = int;

constexpr Literal no(Literal literal) { return -literal - 1; }

struct Term {
  std::int64_t factor = 1;
  Variable variable = 0;
};

/// Bounds of a sum; either may be open.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

class Model {
 public:
  /// REQUIRES: range.least <= range.most, both far from the limits of their type.
  Variable variable(Range range);
  Literal literal() { return variable({0, 1}); }

  /// The sum is in the range wherever all the literals hold. Variables here are no literals: write 1 - x for no(x).
  void require_sum(const std::vector<Term>& terms, Range range, const std::vector<Literal>& where = {});
  void require_any(const std::vector<Literal>& literals);
  void require_one(const std::vector<Literal>& literals);
  /// From `begin` on, `length` long, there only where the literal holds. @return its number
  int interval(Variable begin, std::int64_t length, Literal where);
  void require_no_overlap(const std::vector<int>& intervals);

  void minimize(Variable variable);
  /// A value to begin with.
  void suggest(Variable variable, std::int64_t value);

  /// OR-Tools' CpModelProto.
  std::string bytes() const;

 private:
  int add_constraint(int kind, const Message& what, const std::vector<Literal>& where = {});

  Message body_, objective_;
  std::vector<std::int64_t> suggested_, values_;
  int variables_ = 0, constraints_ = 0;
};

}  // namespace dlrun::cpsat
