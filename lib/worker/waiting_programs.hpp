// SPDX-License-Identifier: Apache-2.0
// Programs of a worker that wait for the next pieces of their trials.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "programs/keeper.hpp"
#include "trial/trial.hpp"

namespace dlrun::worker {

/// A program that waits.
struct Waiting {
  std::unique_ptr<programs::Keeper> keeper;
  std::int64_t step = 0;   ///< steps whose values it has reported
  double cost = 0;         ///< objective there; lower is better
  std::int64_t bytes = 0;  ///< memory that it holds
  bool is_lent = false;    ///< another worker of this host runs a piece of it
};

/// Limits of what waits on one worker (resources.parked, resources.parked_memory_mb).
struct WaitingLimits {
  std::optional<std::size_t> programs = {};  ///< nullopt: as many as the memory allows
  std::optional<std::int64_t> bytes = {};    ///< nullopt: half of what would be free without them
  std::function<bool()> has_room = {};       ///< whether another program may wait: asked once for each; empty: yes
};

/// Programs that may wait for all that this process can have open: each takes two descriptors.
std::size_t most_by_descriptors();

/// Beyond the limits programs are asked to end, of the lowest step the worst first: they would go on last.
class WaitingPrograms {
 public:
  /// @param grace  seconds that a program has to end    @param maximize  higher objectives are better
  WaitingPrograms(const WaitingLimits& limits, double grace, bool maximize = false)
      : limits_(limits), grace_(grace), maximize_(maximize) {}

  /// All are asked to end, and may take their grace.
  ~WaitingPrograms();
  WaitingPrograms(const WaitingPrograms&) = delete;
  WaitingPrograms& operator=(const WaitingPrograms&) = delete;

  void add(const trial::Member& member, Waiting program);
  /// The member's program, if it waits behind this step. One that waits elsewhere is ended.
  std::unique_ptr<programs::Keeper> take_program(const trial::Member& member, std::int64_t step);
  /// The member's program is asked to end.
  void end_member(const trial::Member& member);
  /// Ends the worst one, and waits for its end. @return false: none waits
  bool give_way();
  /// Interpreters that have left their trials since the last call.
  /// @param patience  to wait for one that was asked to leave, if there is none
  std::vector<std::unique_ptr<programs::Keeper>> take_free(std::chrono::milliseconds patience);
  /// Programs of the trial are asked to end, or to leave it.
  void end_trial(trial::TrialId trial);
  /// Folders in which they were started.
  std::set<std::string> folders();
  bool has(const trial::Member& member) const { return programs_.contains(member); }

 private:
  using Programs = std::map<trial::Member, Waiting>;
  void hear_news();
  bool is_beyond_limits() const;
  Programs::iterator worst();
  Programs::iterator end(Programs::iterator program);

  WaitingLimits limits_;
  double grace_;
  bool maximize_;
  Programs programs_;
  std::vector<std::unique_ptr<programs::Keeper>> ending_;  ///< asked to end, or to leave their trials
  std::vector<std::unique_ptr<programs::Keeper>> free_;
};

}  // namespace dlrun::worker
