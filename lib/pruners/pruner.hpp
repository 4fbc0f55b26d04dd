// SPDX-License-Identifier: Apache-2.0
// A pruner decides which paused trials go on. Pure: visible values in, trials out.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::pruners {

/// One of `pruner:` in the spec. Budgets in epochs.
struct PrunerOptions {
  std::string op = "none";
  int eta = 3;
  std::int64_t min_budget = 1;
  std::int64_t max_budget = 1;
};

/// A trial that may go on, and why (for explain).
struct Promotion {
  trial::TrialId trial;
  std::string reason;
};

class Pruner {
 public:
  virtual ~Pruner() = default;
  /// Epochs at which a trial pauses, ascending; the last is its whole budget.
  virtual std::vector<std::int64_t> rungs() const = 0;
  /// A paused trial's value at rung `rung` (0-based) became visible; lower is better; nullopt: failed or not finite.
  virtual void on_value(trial::TrialId trial, int rung, std::optional<double> value) = 0;
  /// A trial left the search (cancelled, failed).
  virtual void on_gone(trial::TrialId) {}
  /// The next paused trial to continue, highest rung first; claimed by this call. nullopt: none is eligible.
  virtual std::optional<Promotion> next() = 0;
  /// Replay: this trial was promoted from `rung` by a recorded decision.
  virtual void claim(trial::TrialId trial, int rung) = 0;
};

/// By its name in the spec: none, asha (promotion type), …. @throws Error(usage) with the nearest known name.
std::unique_ptr<Pruner> make_pruner(const PrunerOptions& options);
std::vector<std::string> pruner_names();

}  // namespace dlrun::pruners
