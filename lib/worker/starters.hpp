// SPDX-License-Identifier: Apache-2.0
// Where the process of a program comes from.
#pragma once
#include <chrono>
#include <functional>
#include <memory>

#include "programs/keeper.hpp"
#include "trial/runner.hpp"
#include "worker/command_settings.hpp"

namespace dlrun::worker {

class Starter {
 public:
  virtual ~Starter() = default;
  /// A program for a trial, which begins with its first piece.
  /// @throws Error, trial::Stopped where the host wants it no more
  virtual std::unique_ptr<programs::Keeper> start(const programs::Start& start, trial::Host& host) = 0;
  /// An interpreter that is free. Here it ends.
  virtual void take_back(std::unique_ptr<programs::Keeper>) {}
  /// About the time that a new program takes, so long it is worth waiting for one that is about to be free.
  virtual std::chrono::milliseconds patience() const { return std::chrono::milliseconds(0); }
};

/// A program is started for each trial. Functions of Python have interpreters that run one trial after another, or
/// servers, below an interpreter that has imported them, which fork a process for each trial.
/// @param threads  inside one trial
std::unique_ptr<Starter> make_starter(const CommandSettings& settings, int threads);

}  // namespace dlrun::worker
