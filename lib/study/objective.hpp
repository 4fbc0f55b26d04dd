// SPDX-License-Identifier: Apache-2.0
// What a result says of the objective.
#pragma once
#include <cstdint>
#include <optional>
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

/// (epoch, metric) of the epochs that reported it, in order; values may be NaN.
std::vector<std::pair<std::int64_t, double>> curve(const Objective& objective,
                                                   const std::vector<trial::Report>& reports);

/// Is `a` better than `b`?
bool is_better(const Objective& objective, double a, double b);

/// 64 bits over everything of a result that decisions may depend on, and its artifacts; never 0. Not stored.
std::uint64_t digest(const trial::PieceResult& result);

}  // namespace dlrun::study
