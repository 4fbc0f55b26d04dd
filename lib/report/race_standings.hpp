// SPDX-License-Identifier: Apache-2.0
// Standings of a race: who leads, by how much, and who dropped out.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "report/race.hpp"

namespace dlrun::report {

class Standings {
 public:
  /// The study outlives it. REQUIRES: it is a race.
  Standings(const AblationStudy& study, Audience audience);

  const statistics::Race& race() const { return race_; }
  /// Coverage of an interval that excludes 0 where the race would drop a contender, after its last round.
  double level() const { return level_; }
  std::string name(std::size_t contender) const;
  /// "wins", "not shown to be worse", "worse than trial-2 after 3, p 0.001", "failed in replicate 2"
  std::string text(std::size_t contender) const;
  /// The leader's gain over another by the race's own test, at level(); of no pairs for the leader itself.
  statistics::Effect behind(std::size_t contender) const;
  /// The leader, those that are left by their means, then those that dropped out, the last one first.
  std::vector<std::size_t> order() const;
  /// Contenders beside the leader that the race has left.
  std::vector<std::size_t> rivals() const;

 private:
  std::pair<int, double> rank(std::size_t contender) const;

  const AblationStudy& study_;
  Audience audience_;
  statistics::Race race_;
  double level_;
};

}  // namespace dlrun::report
