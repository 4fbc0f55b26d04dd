// SPDX-License-Identifier: Apache-2.0
// A plugin as a pruner of the study.
#pragma once
#include <exception>
#include <optional>
#include <string>

#include "guest/process.hpp"
#include "pruners/stopping_pruner.hpp"

namespace dlrun::guest {

struct PrunerSetting {
  std::string name;
  Json options;  ///< the section of the study
  pruners::EvenLadder ladder;
  pruners::StudyFacts study;
};

/// Asks the process of a plugin for a verdict at each rung (include/dlrun/plugin/pruner.hpp). All else that it is told
/// is buffered until the next one. The order in which trials go on is that of the other stopping rules.
///
/// Errors: besides those of Process, a reason that is no valid UTF-8 is Error(outside). They are thrown
/// when the study decides next, before any other decision: a log that is replayed needs no verdict, so an amendment can
/// replace a failed plugin.
class GuestPruner final : public pruners::StoppingPruner {
 public:
  explicit GuestPruner(const PrunerSetting& setting, Limits limits = limits_of_environment());

  void on_curve(trial::TrialId trial, const std::vector<pruners::Point>& curve) override;
  void on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) override;
  void on_gone(trial::TrialId trial) override;
  void on_complete(trial::TrialId trial) override;
  std::optional<pruners::Promotion> next() const override;
  bool wants_new() const override;

  /// For tests of a plugin: its process.
  const Process& process() const { return process_; }

 private:
  Verdict judge(trial::TrialId trial, int rung, double value) override;
  void note_whole(trial::TrialId trial, double value) override;
  void note_failed(trial::TrialId trial, int rung) override;
  Verdict ask(trial::TrialId trial, int rung, double value);
  void require_sound() const;
  Json at(trial::TrialId trial, int rung, double value) const { return {trial.value, rung, value, violation_}; }

  Process process_;
  std::exception_ptr fault_;
  double violation_ = 0;  ///< belongs to the score that is told
};

}  // namespace dlrun::guest
