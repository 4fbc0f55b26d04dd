// SPDX-License-Identifier: Apache-2.0
#include "study/reasons.hpp"

#include <fmt/format.h>

#include "study/interval.hpp"

namespace dlrun::study {

namespace {

std::string limit_of(std::int64_t count, const char* unit) {
  return fmt::format("limit of {} {}{}", count, unit, count == 1 ? "" : "s");
}

}  // namespace

std::string member_name(const trial::Members& plan, const trial::Member& m) {
  std::string name;
  if (plan.replicates > 1) name = fmt::format("replicate {} of {}", m.replicate, plan.replicates);
  if (plan.folds > 1) name += fmt::format("{}fold {} of {}", name.empty() ? "" : ", ", m.fold, plan.folds);
  return name;
}

std::string with_metric(const State& s, const std::string& reason, trial::TrialId trial) {
  const std::string& metric = s.rules.objective.metric;
  const bool is_between_members = s.rounds.find(trial) != nullptr;
  if (is_between_members) return fmt::format("{}; {} {:.6g}", reason, metric, mean(s.trials.objectives(trial)));
  std::string out = fmt::format("{}; {} {:.6g}", reason, metric, s.trials[trial].objective);
  for (std::size_t i = 0; i < s.rules.further.size(); ++i) {
    out += fmt::format(", {} {:.6g}", s.rules.further[i].metric, s.trials.extras(trial)[i]);
  }
  const double violation = s.ranking.score_of(trial).violation;
  return violation > 0 ? fmt::format("{}, infeasible by {:.3g}", out, violation) : out;
}

std::string closing_reason(const State& s) {
  const auto& limits = s.rules.limits;
  const bool wants_new = s.pruner->wants_new();
  if (s.progress.is_over()) return s.progress.reason();
  if (!wants_new && !s.pruner->next_heir() && !s.pruner->next()) return s.pruner->closing_reason();
  if (wants_new && limits.trials && s.trials.size() >= *limits.trials) return limit_of(*limits.trials, "trial");
  if (!wants_new || !s.has_epochs_for_new()) return limit_of(*limits.epochs, "epoch");
  if (const auto promised = s.proposer.too_little()) {
    return fmt::format("expected improvement of {:.3g}, under {:g}", *promised, *limits.improvement);
  }
  return s.proposer.reason();
}

}  // namespace dlrun::study
