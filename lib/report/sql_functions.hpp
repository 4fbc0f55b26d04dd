// SPDX-License-Identifier: Apache-2.0
// Aggregates that statistics of trials need and SQLite lacks.
#pragma once

struct sqlite3;

namespace dlrun::report {

/// Adds to a connection:
///   median(x)       the middle of the values, or the mean of the two in the middle
///   quantile(x, p)  linear between the two nearest values (Hyndman and Fan 1996, type 7, as numpy's default); p in [0,
///   1] stdev(x)        standard deviation of a sample, by n - 1; NULL for fewer than two values
/// NULL and text that is no number are ignored; no value gives NULL.
/// @throws Error(outside) where SQLite cannot add them.
void add_functions(sqlite3* handle);

}  // namespace dlrun::report
