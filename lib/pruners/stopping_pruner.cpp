// SPDX-License-Identifier: Apache-2.0
#include "pruners/stopping_pruner.hpp"

#include <fmt/format.h>

#include <cmath>

#include "util/error.hpp"

namespace dlrun::pruners {

void StoppingPruner::on_value(trial::TrialId trial, int rung, std::optional<double> value) {
  if (rung < 0 || static_cast<std::size_t>(rung) >= budgets_.size()) return;
  const bool is_usable = value && std::isfinite(*value);
  const bool is_last = static_cast<std::size_t>(rung) + 1 == budgets_.size();
  if (!is_usable) {
    if (!is_last) note_failed(trial, rung);
    return;
  }
  if (is_last) return note_whole(trial, *value);
  Verdict verdict = judge(trial, rung, *value);
  Judged judged{rung, fmt::format("rung {}: {}", rung, verdict.reason)};
  const bool is_gone = gone_.contains(trial);
  if (!verdict.goes_on) {
    if (!is_gone) stopping_.insert_or_assign(trial, std::move(judged));
  } else if (going_.emplace(trial, std::move(judged)).second && !is_gone) {
    order_.emplace(-rung, trial);
  }
}

/// Logs of earlier versions may let it go on after a value that became visible later: `going_` gets that one.
void StoppingPruner::on_gone(trial::TrialId trial) {
  gone_.insert(trial);
  stopping_.erase(trial);
  const auto found = going_.find(trial);
  if (found == going_.end()) return;
  order_.erase({-found->second.rung, trial});
  going_.erase(found);
}

std::optional<Promotion> StoppingPruner::next() const {
  if (order_.empty()) return std::nullopt;
  const trial::TrialId trial = order_.begin()->second;
  const Judged& judged = going_.at(trial);
  return Promotion{trial, judged.rung, judged.reason};
}

std::optional<Stop> StoppingPruner::next_stop() const {
  if (stopping_.empty()) return std::nullopt;
  const auto& [trial, judged] = *stopping_.begin();
  return Stop{trial, judged.rung, judged.reason};
}

void StoppingPruner::claim(trial::TrialId trial, int rung) {
  const auto found = going_.find(trial);
  if (found == going_.end() || found->second.rung != rung) {
    throw Error(ErrorKind::store, fmt::format("trial {} cannot go on from rung {}", trial.value, rung));
  }
  order_.erase({-rung, trial});
  going_.erase(found);
}

}  // namespace dlrun::pruners
