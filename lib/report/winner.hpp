// SPDX-License-Identifier: Apache-2.0
// True value of a search's best trial, estimated without the luck of having been chosen.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "report/opened.hpp"
#include "statistics/winner.hpp"

namespace dlrun::report {

struct Winner {
  std::int64_t trial = 0;
  double measured = 0;                        ///< objective as it ranks
  std::optional<statistics::Shrunken> value;  ///< nullopt: nothing tells the luck of a trial
  std::int64_t contenders = 0;                ///< completed feasible trials
  std::string luck;                           ///< where the luck is taken from, or why there is no value
  std::string not_covered;                    ///< luck of being chosen that the value still has; empty: none known
};

/// nullopt: no trial has completed, the study compares variants and chooses none, or a race has chosen the winner.
std::optional<Winner> winner_of(const OpenedStudy& study);

/// Facts of a winner; no rows where there is none.
Table winner_table(const OpenedStudy& study);

}  // namespace dlrun::report
