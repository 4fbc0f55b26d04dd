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

/// A trial that may go on from `rung`, and why (for explain).
struct Promotion {
  trial::TrialId trial;
  int rung = 0;
  std::string reason;  ///< "rung 0: among the best 3 of 9"
};

class Pruner {
 public:
  virtual ~Pruner() = default;
  /// Epochs at which a trial pauses, ascending; the last is its whole budget. Empty: it never pauses.
  virtual std::vector<std::int64_t> rungs() const = 0;
  /// A trial's value at rung `rung` (0-based) became visible; lower is better; nullopt: failed or not finite. A trial
  /// that failed and was tried again tells a second value, which replaces the first.
  virtual void on_value(trial::TrialId trial, int rung, std::optional<double> value) = 0;
  /// A trial will never go on (cancelled, ended early); its values still count for the others.
  virtual void on_gone(trial::TrialId) {}
  /// The next paused trial to continue, highest rung first; nullopt: none is eligible. Changes nothing: the study may
  /// not have the budget for it.
  virtual std::optional<Promotion> next() const = 0;
  /// A decision, fresh or replayed, promotes this trial from `rung`.
  /// @throws Error(store) where it is not paused there: a log that does not belong to these rules.
  virtual void claim(trial::TrialId trial, int rung) = 0;
};

/// By its name in the spec: none, asha (promotion type), …. @throws Error(usage) with the nearest known name, or for
/// options that make no sense.
std::unique_ptr<Pruner> make_pruner(const PrunerOptions& options);
std::vector<std::string> pruner_names();

}  // namespace dlrun::pruners
