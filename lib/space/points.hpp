// SPDX-License-Identifier: Apache-2.0
// The points of a finite space, numbered from 0: mixed radix over the domains, where a parameter that is not active
// counts as one. So each distinct point has one number, whatever the conditions.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "space/space.hpp"

namespace dlrun::space {

/// Parameters fall into groups that conditions tie together; groups are the digits of the mixed radix (the last varies
/// fastest), and within a group the number counts the completions of each value. A number above 2^53, or groups whose
/// conditions need more than 100,000 different counts, are not counted: size() is then nullopt.
class Points {
 public:
  explicit Points(Space space);

  /// nullopt: infinite, or not counted.
  std::optional<std::int64_t> size() const;
  /// Point number `number`. REQUIRES: size(), 0 <= number < size.
  Values at(std::int64_t number) const;
  /// Inverse of at(). REQUIRES: size(), the space contains `values`.
  std::int64_t number_of(const Values& values) const;

 private:
  /// A run of neighbouring values of one parameter that no condition tells apart.
  struct Run {
    std::int64_t first, length;
  };
  struct Group {
    std::vector<std::size_t> parameters;                                    ///< ascending
    mutable std::map<std::vector<std::int64_t>, std::int64_t> completions;  ///< memo, see key()
    std::int64_t size = 0;
  };

  void find_groups();
  void find_runs();
  std::vector<std::int64_t> key(const Group& group, std::size_t position, const Values& values) const;
  std::int64_t completions(const Group& group, std::size_t position, Values& values) const;
  std::int64_t count_completions(const Group& group, std::size_t position, Values& values) const;
  void place(const Group& group, std::int64_t number, Values& values) const;
  std::int64_t number_in(const Group& group, const Values& values) const;

  Space space_;
  std::vector<Group> groups_;
  std::vector<std::vector<Run>> runs_;       ///< by parameter; empty: continuous
  std::vector<std::size_t> last_dependent_;  ///< by parameter: the last one whose condition names it, or itself
};

}  // namespace dlrun::space
