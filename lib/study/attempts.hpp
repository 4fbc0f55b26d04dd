// SPDX-License-Identifier: Apache-2.0
// Attempts of pieces that are decided: they start, are copied, fail, are lost or overtaken.
#pragma once
#include <string>

#include "study/state.hpp"

namespace dlrun::study {

/// An attempt that brought no result, and why.
struct FailedAttempt {
  int number = 0;
  trial::Cause cause = trial::Cause::none;
  std::string message;
};

/// Order that gives an attempt to a worker. @param copy_of  see StartPiece
StartPiece start_of(const State& state, const Piece& piece, int attempt, int copy_of);
/// Starts the attempt whose number was given last.
void start_newest(State& state, const Piece& piece, int copy_of, Output& out);
/// An attempt is over without a result. Its piece continues by the attempt beside it or by a new one; if neither is
/// allowed, its member fails.
void fail_attempt(State& state, Piece& piece, const FailedAttempt& failed, Output& out);
/// The winner has measured the piece, so other attempts of it must stop.
void overtake(const Piece& piece, int winner, Output& out);

void absorb(State& state, const AttemptLost& event, Output& out);
void absorb(State& state, const AttemptCopied& event, Output& out);

}  // namespace dlrun::study
