// SPDX-License-Identifier: Apache-2.0
#include "driver/standing.hpp"

#include <algorithm>
#include <utility>

#include "trial/json.hpp"

namespace dlrun::driver {

using trial::TrialState;

Progress Standing::progress(std::int64_t epochs_before) const {
  const Tally& tally = parts_.tally;
  Progress progress;
  progress.trials_done = tally.final();
  progress.trials_started = tally.started();
  progress.trials_failed = tally.in(TrialState::failed);
  progress.trials_pruned = tally.in(TrialState::pruned);
  progress.trials_paused = tally.in(TrialState::paused);
  progress.trials_completed = tally.in(TrialState::completed);
  progress.trials_cancelled = tally.in(TrialState::cancelled);
  progress.epochs = tally.epochs();
  progress.epochs_before = epochs_before;
  progress.running = static_cast<std::int64_t>(parts_.dispatcher.busy_workers());
  progress.workers = static_cast<std::int64_t>(parts_.dispatcher.workers());
  progress.trials_limit = parts_.spec.rules.limits.trials;
  if (const auto best = parts_.study.best()) {
    progress.best = parts_.study.trial(*best).objective;
    progress.best_trial = best->value;
  }
  progress.seconds = parts_.limits.seconds_at(parts_.clock.now());
  progress.pieces = pieces();
  return progress;
}

/// Only those of the newest trials are described: a display has no room for more, and this must stay cheap.
std::vector<RunningPiece> Standing::pieces() const {
  std::vector<const Work*> works = parts_.dispatcher.under_way();
  std::erase_if(works, [](const Work* work) { return work->is_beside(); });
  std::sort(works.begin(), works.end(),
            [](const Work* a, const Work* b) { return a->piece.key.member > b->piece.key.member; });
  if (works.size() > Progress::kMostShown) works.resize(Progress::kMostShown);
  std::vector<RunningPiece> out;
  for (auto work = works.rbegin(); work != works.rend(); ++work) {
    const trial::Member& member = (*work)->piece.key.member;
    RunningPiece piece{member, (*work)->piece.from_step, {}, {}};
    if (const Curve* curve = parts_.curves.find(member)) {
      piece.epochs = std::max(piece.epochs, curve->epoch());
      piece.curve = curve->values();
    }
    piece.params = parts_.study.space().params(parts_.study.trial(member.trial).values);
    out.push_back(std::move(piece));
  }
  return out;
}

Json Standing::status() const {
  Json json = {{"ok", true},
               {"study", parts_.spec.name},
               {"state", parts_.ending.has_begun() ? "ending" : "running"},
               {"trials", parts_.tally.started()},
               {"running", parts_.dispatcher.busy_workers()},
               {"workers", parts_.dispatcher.workers()},
               {"waiting", parts_.dispatcher.waiting()},
               {"hosts", parts_.blame.to_json(parts_.clock.now())},
               {"seconds", parts_.limits.seconds_at(parts_.clock.now())}};
  for (const auto state : {TrialState::completed, TrialState::pruned, TrialState::failed, TrialState::cancelled}) {
    json[std::string(trial::to_string(state))] = parts_.tally.in(state);
  }
  if (const auto best = parts_.study.best()) {
    json["best"] = trial::number_to_json(parts_.study.trial(*best).objective.value_or(0));
    json["best_trial"] = best->value;
  }
  return json;
}

Summary Standing::summary() const {
  Summary summary = summary_of(parts_.study, parts_.tally);
  if (summary.finished) return summary;
  summary.interrupted = parts_.ending.is_interrupted();
  summary.out_of_time = parts_.ending.by() == Ending::By::time;
  summary.reason = parts_.ending.reason();
  return summary;
}

Summary summary_of(const study::Study& study, const Tally& tally) {
  Summary summary;
  summary.finished = study.is_finished();
  summary.reason = study.finish_reason();
  summary.completed = tally.in(TrialState::completed);
  summary.pruned = tally.in(TrialState::pruned);
  summary.failed = tally.in(TrialState::failed);
  summary.cancelled = tally.in(TrialState::cancelled);
  if (const auto best = study.best()) {
    summary.best = study.trial(*best).objective;
    summary.best_trial = best->value;
  }
  return summary;
}

}  // namespace dlrun::driver
