// SPDX-License-Identifier: Apache-2.0
// Programs that wait for the next pieces of their trials, and the workers to which they belong.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::driver {

/// A program belongs to the worker that is the first to say that it waits.
class KeptPrograms {
 public:
  struct Program {
    std::int64_t owner = -1;
    std::string socket;
  };

  /// The program of a member waits at this socket.
  /// @param worker  that says so
  void keep(std::int64_t worker, const trial::Member& member, const std::string& socket);
  /// The worker to which a program belongs that nobody wants; it is forgotten.
  /// @param worker  on which it is now
  std::int64_t take_owner(std::int64_t worker, const std::string& socket);
  /// Workers to which programs of the trial belong; they are forgotten.
  std::vector<std::int64_t> take_all(trial::TrialId trial);
  /// The program of a member, which waits no longer.
  std::optional<Program> take_program(const trial::Member& member);
  /// The worker to which a member's program belongs; nullopt: none waits.
  std::optional<std::int64_t> owner_of(const trial::Member& member) const;
  /// Forgets programs that belong to the worker.
  void forget(std::int64_t worker);
  bool is_empty() const { return programs_.empty(); }

 private:
  std::map<trial::Member, Program> programs_;
  std::map<std::string, std::int64_t> owners_;  ///< by socket, also of programs that run
};

}  // namespace dlrun::driver
