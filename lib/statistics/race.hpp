// SPDX-License-Identifier: Apache-2.0
// Race of several contenders, replicate by replicate, in which those that are shown to be worse drop out (racing: Maron
// and Moore 1994; Birattari, Stützle, Paquete and Varrentrapp 2002).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "statistics/stepwise.hpp"

namespace dlrun::statistics {

struct RaceRules {
  int replicates = 0;          ///< most of each contender, at least 2
  std::optional<int> budget;   ///< most cells of all contenders together; nullopt: replicates of each
  bool maximize = true;        ///< more of the metric is better
  std::vector<double> levels;  ///< two-sided p below which a contender drops out, after 2, 3, … replicates
};

/// The rules with levels for so many contenders: the best of them drops out with a chance of at most alpha, over all
/// rounds and rivals together. REQUIRES: replicates >= 2, contenders >= 2.
RaceRules race_rules(int replicates, std::optional<int> budget, int contenders, double alpha, bool maximize);

/// A contender that is out of the race.
struct DroppedOut {
  int replicates = 0;       ///< after which it dropped out
  bool has_failed = false;  ///< the last of them measured nothing
  std::size_t behind = 0;   ///< the leader then
  double p = 1;             ///< paired difference to the leader, two-sided
};

struct Race {
  std::vector<std::optional<DroppedOut>> out;  ///< [contender]; nullopt: still in the race
  int rounds = 0;                              ///< replicates that all contenders still in then have decided
  std::vector<std::size_t> open;               ///< contenders of the round that is under way; none: the race is over
  std::optional<std::size_t> leader;           ///< highest mean of those still in; nullopt: none has measured anything
  std::string end;                             ///< why it is over; empty: it is not
};

/// All rounds that the cells decide. A round is one replicate of each contender that is still in, and is decided when
/// all of these are, so the same cells give the same race in whatever order they came. A contender whose run failed
/// drops out; after each round from the second on so does one that is worse than the leader by the paired t test. Of
/// equal ones the first leads. A round that would pass the budget is not begun.
/// @param seen  [contender][replicate]
Race race(const RaceRules& rules, const std::vector<SeenCells>& seen);

}  // namespace dlrun::statistics
