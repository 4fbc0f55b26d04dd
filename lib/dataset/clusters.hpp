// SPDX-License-Identifier: Apache-2.0
// Rows of validation that are alike and count as one where luck is judged: a group, or a stretch of time.
#pragma once
#include <cstdint>
#include <vector>

namespace dlrun::dataset {

/// Length of the stretches into which `times` successive times are cut: their cube root, rounded up, by which blocks
/// grow where the variance of a mean is estimated (Hall, Horowitz and Jing, Biometrika 1995), and at least `least`.
std::int64_t stretch_length(std::int64_t times, std::int64_t least = 1);

/// Group of each row of val.
/// @param groups  number of each row's group
std::vector<std::int64_t> clusters_by_group(const std::vector<std::int64_t>& groups,
                                            const std::vector<std::int64_t>& val);

/// Stretch of time of each row of val, from 0. Rows of one time are in one stretch.
/// @param times  place of each row's time, equal for equal times
/// @param least  times of a stretch
std::vector<std::int64_t> clusters_by_time(const std::vector<std::int64_t>& times, const std::vector<std::int64_t>& val,
                                           std::int64_t least = 1);

}  // namespace dlrun::dataset
