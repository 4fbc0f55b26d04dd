// SPDX-License-Identifier: Apache-2.0
// A small study as a driver would write it: decisions, attempts, results, changes. Real files, no fakes.
#pragma once
#include <string>

#include "storage/store.hpp"

namespace dlrun::support {

inline trial::PieceKey piece_of(std::int64_t trial, int piece = 0) { return {{trial::TrialId(trial), 0, 0}, piece}; }

inline storage::StudyRow sample_row(const std::string& name = "sample") {
  storage::StudyRow row;
  row.name = name;
  row.hash = "h-" + name;
  row.spec_text = "study: " + name + "\n";
  row.spec = {{"study", name},
              {"objective", {{"metric", "val.accuracy"}, {"direction", "maximize"}, {"at", "last"}}},
              {"trial", {{"kind", "function"}, {"optimizer", {{"lr", 0.1}}}}}};
  row.seed = 7;
  row.slack = 500;
  row.created = "2026-11-20T10:00:00Z";
  return row;
}

inline study::Decision start_of(std::int64_t trial, space::Values values = {}) {
  study::Decision d;
  d.number = trial;
  d.kind = study::DecisionKind::start;
  d.lane = int(trial % 8);
  d.at = trial * 1000;
  d.end = d.at + 1000;
  d.key = piece_of(trial);
  d.to_step = 1;
  d.values = std::move(values);
  return d;
}

inline trial::PieceResult result_of(std::int64_t trial, double value, int attempt = 1) {
  trial::PieceResult r;
  r.key = piece_of(trial);
  r.attempt = attempt;
  r.reports = {{1, {{"val.accuracy", value}}}};
  r.seconds = 0.25;
  return r;
}

/// One trial from its decision to its end, in one transaction.
inline void write_trial(storage::Store& store, std::int64_t trial, double value, space::Values values = {},
                        storage::Durability durability = storage::Durability::normal) {
  store.begin();
  store.add(start_of(trial, std::move(values)));
  store.attempts().start({piece_of(trial), 1, trial % 2});
  store.change({trial::TrialId(trial), trial::TrialState::running, {}, 0});
  store.add(study::Event(study::PieceEnded{result_of(trial, value)}));
  store.change({trial::TrialId(trial), trial::TrialState::completed, value, 1, trial::Cause::none, "", 1});
  store.commit(durability);
}

}  // namespace dlrun::support
