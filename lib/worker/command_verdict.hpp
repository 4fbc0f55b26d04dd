// SPDX-License-Identifier: Apache-2.0
// How a piece of a program ended, and why it failed.
#pragma once
#include <cstdint>
#include <string>

#include "programs/talk.hpp"
#include "trial/runner.hpp"

namespace dlrun::worker {

/// Facts of a piece that its keeper does not know.
struct Heard {
  std::string last_error;      ///< last line of standard error: nearly always the reason
  std::string port_fault;      ///< line about a port of the rendezvous that was taken; empty: none
  std::string diverged;        ///< where the objective was not finite; empty: it was
  std::string silence;         ///< why it was ended for its silence; empty: it was not
  bool has_warned = false;     ///< the log says which lines were not understood
  bool wanted_memory = false;  ///< the kernel's OOM killer struck while it ran
};

/// The piece that was asked for.
struct Asked {
  const trial::WorkSetup& setup;
  const trial::PieceOrder& order;
  std::int64_t epochs = 0;  ///< count in the trial itself
};

struct Verdict {
  trial::Outcome outcome = trial::Outcome::completed;
  trial::Cause cause = trial::Cause::none;
  std::string message = {};
};

/// Exit codes: 0 done, where the objective has a value; 75 try again; others are failures. REQUIRES: it was started
Verdict verdict_of(const programs::PieceOver& over, const Heard& heard, const Asked& piece);

}  // namespace dlrun::worker
