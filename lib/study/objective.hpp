// SPDX-License-Identifier: Apache-2.0
// What a result says of the objective.
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

/// The objective after a piece: of its last epoch or, with `at_best`, of the best one so far (ties: the earlier).
/// @param earlier the objective before this piece, if there was one
/// Not finite where it counts: cause nan. Never reported: cause exception.
std::variant<Measured, Unmeasured> measure(const Objective& objective, const std::vector<trial::Report>& reports,
                                           std::optional<Measured> earlier);

/// The numbers that `rules` asks for beside the objective, updated by a piece: other objectives each by its own `at`,
/// bounded metrics as last reported up to the epoch the objective is from. What a piece does not report stays.
/// @param extras [further + bounds] as measured; NaN: none so far
/// @param step   the epoch the objective is from
std::optional<Unmeasured> measure_extras(const Rules& rules, const std::vector<trial::Report>& reports,
                                         std::int64_t step, std::span<double> extras);

/// How far `value` lies beyond a bound, by the size of its limit (by itself where that is 0).
double excess_of(const Bound& bound, double value);

/// (epoch, metric) of the epochs that reported it, in order; values may be NaN.
std::vector<std::pair<std::int64_t, double>> curve(const Objective& objective,
                                                   const std::vector<trial::Report>& reports);

using Curve = std::vector<std::pair<std::int64_t, double>>;
/// Epoch by epoch the mean of the members that reported it; a member whose curve ended early stands in with its last
/// value. Of one member: its own.
Curve mean_curve(const std::vector<Curve>& members);

/// Is `a` better than `b`?
bool is_better(const Objective& objective, double a, double b);

/// Lower is better, whatever the direction.
inline double cost_of(const Objective& objective, double value) { return objective.maximize ? -value : value; }

/// 64 bits over everything of a result that decisions may depend on, and its artifacts; never 0. Not stored.
std::uint64_t digest(const trial::PieceResult& result);

}  // namespace dlrun::study
