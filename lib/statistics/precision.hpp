// SPDX-License-Identifier: Apache-2.0
// Differences at the precision of the values that they are differences of.
#pragma once

namespace dlrun::statistics {

/// A sum or difference of values, rounded to a multiple of 16 units in the last place of the largest of them. What the
/// subtraction of equal values leaves becomes 0, and sums of such differences are exact.
/// @param largest  the largest size of a value that went in
double at_precision(double difference, double largest);

}  // namespace dlrun::statistics
