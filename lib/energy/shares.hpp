// SPDX-License-Identifier: Apache-2.0
// Shares of several holders in the joules of one counter. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

namespace dlrun::energy {

/// Between two readings a counter's joules count as spent evenly, and each moment's go in equal parts to those who ran:
/// so a holder gets joules in proportion to its share of the time, and the parts add up to what was counted. (The
/// rival, a start and an end reading of each attempt, counts what several workers run at once as often as there are
/// workers.)
class Shares {
 public:
  /// A part of the time since the last reading was this holder's. @param seconds  above 0
  void use(std::int64_t holder, double seconds);
  /// Divides the joules of a reading. nullopt: unknown, and so is the part of every holder that ran meanwhile.
  void settle(std::optional<double> joules);
  /// Takes all joules of a holder so far, which is then forgotten; nullopt: it had no time at all.
  struct Part {
    std::optional<double> joules;  ///< nullopt: not known, as a whole
  };
  std::optional<Part> close_account(std::int64_t holder);

 private:
  struct Account {
    double seconds = 0;  ///< since the last reading
    double joules = 0;
    bool is_known = true;
  };
  std::map<std::int64_t, Account> accounts_;
  double seconds_ = 0;  ///< seconds of all holders since the last reading
};

}  // namespace dlrun::energy
