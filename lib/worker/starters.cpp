// SPDX-License-Identifier: Apache-2.0
#include "worker/starters.hpp"

#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "programs/forks.hpp"
#include "util/error.hpp"
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
  explicit BelowInterpreter(programs::Launch interpreter) : launch_(std::move(interpreter)) { forks_.emplace(launch_); }

  std::unique_ptr<Keeper> start(const Start& start, trial::Host& host) override {
    if (!forks_ || forks_->has_ended()) forks_.emplace(launch_);
    try {
      auto keeper = forks_->start(start, [&] { return host.is_stopping(); });
      log(host);
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

  programs::Launch launch_;
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

std::unique_ptr<Starter> make_starter(const CommandSettings& settings, int threads) {
  if (!settings.function) return std::make_unique<NewProcesses>();
  if (!settings.function->is_forked) return std::make_unique<Reused>(std::make_unique<NewProcesses>(), kImport);
  return std::make_unique<Reused>(std::make_unique<BelowInterpreter>(interpreter(settings, threads)), kFork);
}

}  // namespace dlrun::worker
