// SPDX-License-Identifier: Apache-2.0
// The mean of a trial's members and how sure it is.
#pragma once
#include <vector>

#include "study/types.hpp"

namespace dlrun::study {

/// REQUIRES: values is not empty. Sums in order, so that equal values give equal bits.
double mean(const std::vector<double>& values);

/// The two-sided 95 % interval of the mean (Student's t). nullopt: fewer than two values.
std::optional<Interval> interval(const std::vector<double>& values);

}  // namespace dlrun::study
