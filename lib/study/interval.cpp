// SPDX-License-Identifier: Apache-2.0
#include "study/interval.hpp"

#include "statistics/student.hpp"

namespace dlrun::study {

std::optional<Interval> interval(const std::vector<double>& values) {
  const auto found = statistics::t_interval(values);
  if (!found) return std::nullopt;
  return Interval{found->n, found->standard_error, found->low, found->high};
}

}  // namespace dlrun::study
