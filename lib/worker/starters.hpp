// SPDX-License-Identifier: Apache-2.0
// Where the process of a program comes from.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "programs/keeper.hpp"
#include "trial/runner.hpp"
#include "worker/command_settings.hpp"

namespace dlrun::worker {

/// The import of a function's file is silent for too long (limits.silence). Its interpreter was ended.
struct ImportHangs {
  std::string message;
};

class Starter {
 public:
  virtual ~Starter() = default;
  /// A program for a trial, which begins with its first piece.
  /// @throws Error, ImportHangs, trial::Stopped where the host wants it no more
  virtual std::unique_ptr<programs::Keeper> start(const programs::Start& start, trial::Host& host) = 0;
  /// An interpreter that is free. Here it ends.
  virtual void take_back(std::unique_ptr<programs::Keeper>) {}
  /// About the time that a new program takes, so long it is worth waiting for one that is about to be free.
  virtual std::chrono::milliseconds patience() const { return std::chrono::milliseconds(0); }
};

/// A program is started for each trial. Functions of Python have interpreters that run one trial after another, or
/// servers, below an interpreter that has imported them, which fork a process for each trial.
std::unique_ptr<Starter> make_starter(const CommandSettings& settings, const trial::WorkSetup& setup);

}  // namespace dlrun::worker
