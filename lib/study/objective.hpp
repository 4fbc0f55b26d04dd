// SPDX-License-Identifier: Apache-2.0
// Objective and other numbers of a result.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "study/types.hpp"

namespace dlrun::study {

struct Measured {
  double value = 0;
  std::int64_t step = 0;
};

/// Why a result has no objective.
struct Unmeasured {
  trial::Cause cause;
  std::string message;
};

/// The objective after a piece: the value of its last epoch or, with `at_best`, of the best one so far (ties: the
/// earlier). The cause is nan if that value is not finite, and exception if none was reported.
/// @param earlier the objective before this piece, if there was one
std::variant<Measured, Unmeasured> measure(const Objective& objective, const std::vector<trial::Report>& reports,
                                           std::optional<Measured> earlier);

/// Numbers of the rules beside the objective, updated by a piece: other objectives each by its own `at`, bounded
/// metrics as last reported up to the objective's epoch. Numbers that a piece does not report stay.
/// @param extras [further + bounds] as measured; NaN: none so far
/// @param step   epoch of the objective
std::optional<Unmeasured> measure_extras(const Rules& rules, const std::vector<trial::Report>& reports,
                                         std::int64_t step, std::span<double> extras);

/// Metrics that decisions rest on: of all objectives, then of the bounds.
std::vector<std::string> needed_metrics(const Rules& rules);

/// Distance of `value` beyond a bound, relative to the size of its limit (absolute if that is 0); negative: within it.
double excess_of(const Bound& bound, double value);

/// (epoch, metric) of the epochs that reported it, in order; values may be NaN.
std::vector<std::pair<std::int64_t, double>> curve(const Objective& objective,
                                                   const std::vector<trial::Report>& reports);

using Curve = std::vector<std::pair<std::int64_t, double>>;
/// Mean of the members that reported an epoch, for each epoch; a member whose curve ended early counts with its last
/// value. The mean of one member is its own curve.
Curve mean_curve(const std::vector<Curve>& members);

/// Is `a` better than `b`?
bool is_better(const Objective& objective, double a, double b);

/// Lower is better, whatever the direction.
inline double cost_of(const Objective& objective, double value) { return objective.maximize ? -value : value; }

/// Digest of all parts of a result that decisions may depend on, and of its artifacts; never 0. Not stored.
std::uint64_t digest(const trial::PieceResult& result);

}  // namespace dlrun::study
