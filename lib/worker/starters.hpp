// SPDX-License-Identifier: Apache-2.0
// Where the process of a program comes from.
#pragma once
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
};

/// A program is started for each trial; a function of Python has a process below an interpreter that has imported it,
/// or interpreters run trials one after another.
/// @param threads  inside one trial
std::unique_ptr<Starter> make_starter(const CommandSettings& settings, int threads);

}  // namespace dlrun::worker
