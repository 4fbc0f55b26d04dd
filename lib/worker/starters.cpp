// SPDX-License-Identifier: Apache-2.0
#include "worker/starters.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "programs/forks.hpp"
#include "util/error.hpp"
#include "worker/silence.hpp"
#include "worker/trainer.hpp"

namespace dlrun::worker {

namespace {

using programs::Keeper;
using programs::Start;

constexpr std::chrono::milliseconds kImport{1000}, kFork{20};  ///< times that a new interpreter or server takes

class NewProcesses final : public Starter {
 public:
  std::unique_ptr<Keeper> start(const Start& start, trial::Host&) override {
    return std::make_unique<Keeper>(program_folder() / "dlrun-worker", start);
  }
};

/// Servers below an interpreter, which imports while the worker waits for its first trial.
class BelowInterpreter final : public Starter {
 public:
  /// @param silence  seconds that an import may say nothing, 0: any time
  BelowInterpreter(programs::Launch interpreter, double silence)
      : launch_(std::move(interpreter)), silence_limit_(silence) {
    forks_.emplace(launch_);
  }

  std::unique_ptr<Keeper> start(const Start& start, trial::Host& host) override {
    if (!forks_ || forks_->has_ended()) forks_.emplace(launch_);
    Silence silence(silence_limit_);
    std::size_t printed = 0;
    const auto is_silent = [&] {
      const std::size_t now = forks_->printed();
      if (std::exchange(printed, now) != now) silence.end();
      return silence.is_too_long();
    };
    try {
      auto keeper = forks_->start(start, [&] { return host.is_stopping() || is_silent(); });
      log(host);
      if (!keeper && silence.was_too_long()) throw ImportHangs{import_hangs()};
      if (!keeper) throw trial::Stopped{};
      return keeper;
    } catch (const Error&) {
      log(host);
      throw;
    }
  }

 private:
  void log(trial::Host& host) {
    std::istringstream lines(forks_->take_output());
    for (std::string line; std::getline(lines, line);) host.log(line);
  }

  /// The last arguments of an interpreter are the function's file and its name.
  std::string import_hangs() const {
    return fmt::format("the import of '{}' hangs: it printed nothing for {:g} s (limits.silence)",
                       launch_.arguments.end()[-2], silence_limit_);
  }

  programs::Launch launch_;
  double silence_limit_;
  std::optional<programs::Forks> forks_;
};

/// Keepers whose interpreters, or servers, have left their trials, and new ones if none is free.
class Reused final : public Starter {
 public:
  Reused(std::unique_ptr<Starter> starter, std::chrono::milliseconds patience)
      : starter_(std::move(starter)), patience_(patience) {}

  std::unique_ptr<Keeper> start(const Start& start, trial::Host& host) override {
    while (!free_.empty()) {
      auto keeper = std::move(free_.back());
      free_.pop_back();
      if (keeper->has_ended()) continue;
      keeper->renew(start);
      return keeper;
    }
    return starter_->start(start, host);
  }

  void take_back(std::unique_ptr<Keeper> keeper) override {
    constexpr std::size_t kMost = 4;  // few are needed at a time, and each holds memory
    if (free_.size() < kMost) free_.push_back(std::move(keeper));
  }

  std::chrono::milliseconds patience() const override { return patience_; }

 private:
  std::unique_ptr<Starter> starter_;
  std::chrono::milliseconds patience_;
  std::vector<std::unique_ptr<Keeper>> free_;
};

}  // namespace

std::unique_ptr<Starter> make_starter(const CommandSettings& settings, const trial::WorkSetup& setup) {
  if (!settings.function) return std::make_unique<NewProcesses>();
  if (!settings.function->is_forked) return std::make_unique<Reused>(std::make_unique<NewProcesses>(), kImport);
  return std::make_unique<Reused>(
      std::make_unique<BelowInterpreter>(interpreter(settings, setup.threads), setup.silence_limit), kFork);
}

}  // namespace dlrun::worker
