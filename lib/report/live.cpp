// SPDX-License-Identifier: Apache-2.0
#include "report/live.hpp"

#include <algorithm>
#include <limits>

#include "report/opened.hpp"
#include "storage/clock.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"

namespace dlrun::report {

namespace {

void take_counts(const OpenedStudy& study, Live& live) {
  const Table status = status_of(study);
  const std::vector<Json>& row = status.rows.at(0);
  const auto number = [&](const char* name) {
    const auto place = std::find(status.columns.begin(), status.columns.end(), name) - status.columns.begin();
    return row.at(std::size_t(place)).get<std::int64_t>();
  };
  live.state = row.at(1).get<std::string>();
  live.reason = row.at(2).is_string() ? row.at(2).get<std::string>() : "";
  live.completed = number("completed");
  live.pruned = number("pruned");
  live.failed = number("failed");
  live.cancelled = number("cancelled");
  live.paused = number("paused");
  const BestTrial best = best_trial_of(study);
  if (!best.value.is_number()) return;
  live.best = best.value.get<double>();
  live.best_trial = best.trial.get<std::int64_t>();
}

/// Number of the newest driver; 0: none has begun.
std::int64_t driver_of(const OpenedStudy& study) {
  return study.database->integer("SELECT coalesce(max(epoch), 0) FROM dl_environment");
}

/// Epochs of whole pieces, of all members.
std::int64_t recorded_epochs(const OpenedStudy& study) {
  return study.database->integer(has_members(study) ? "SELECT coalesce(sum(epochs), 0) FROM dl_member"
                                                    : "SELECT coalesce(sum(epochs), 0) FROM dl_trial");
}

/// Epochs of pieces that drivers before this one ended.
std::int64_t epochs_before(const OpenedStudy& study, std::int64_t driver) {
  if (study.database->integer("SELECT count(*) FROM dl_environment") < 2) return 0;
  storage::Statement sum = study.query(
      "SELECT coalesce(sum(d.to_step - d.from_step), 0) FROM dl_decision d JOIN dl_attempt a "
      "ON a.trial = d.trial AND a.replicate = d.replicate AND a.fold = d.fold AND a.piece = d.piece "
      "WHERE d.kind < 2 AND a.state = 1 AND a.epoch < ?");
  return sum.bind(driver).step() ? sum.integer(0) : 0;
}

double seconds_of(const OpenedStudy& study, std::int64_t driver, bool is_driven) {
  storage::Statement row = study.query(
      "SELECT w.started, coalesce(s.finished, (SELECT time FROM dl_log ORDER BY seq DESC LIMIT 1)) "
      "FROM dl_study s, dl_writer w WHERE w.epoch = ?");
  if (!row.bind(driver).step()) return 0;
  const std::int64_t end = is_driven || row.is_null(1) ? storage::now_ms() : row.integer(1);
  return std::max(0.0, double(end - row.integer(0)) / 1000);
}

/// The objective by epoch.
void take_curve(const OpenedStudy& study, LivePiece& piece) {
  storage::Statement rows = study.query(
      "SELECT step, value, kind FROM dl_metric WHERE trial = ? AND replicate = ? AND fold = ? "
      "AND metric = (SELECT metric FROM dl_metric_name WHERE name = ?) ORDER BY step");
  const trial::Member& member = piece.key.member;
  rows.bind(member.trial.value, member.replicate, member.fold, study.metric);
  while (rows.step()) {
    piece.epochs = std::max(piece.epochs, rows.integer(0));
    piece.curve.push_back(rows.is_null(1) ? std::numeric_limits<double>::quiet_NaN() : rows.real(1));
  }
}

/// Epochs that a member has recorded.
std::int64_t base_of(const OpenedStudy& study, const trial::Member& member, bool are_several) {
  storage::Statement row =
      study.query(are_several ? "SELECT epochs FROM dl_member WHERE trial = ? AND replicate = ? AND fold = ?"
                              : "SELECT epochs FROM dl_trial WHERE trial = ?");
  if (are_several ? row.bind(member.trial.value, member.replicate, member.fold).step()
                  : row.bind(member.trial.value).step())
    return row.integer(0);
  return 0;
}

/// Attempts under way, newest trial first. Of a piece that two workers run, the first attempt.
std::vector<LivePiece> attempts_of(const OpenedStudy& study, Live& live) {
  storage::Statement rows = study.query(
      "SELECT a.trial, a.replicate, a.fold, a.piece, min(a.attempt), max(a.worker) FROM dl_trial t JOIN dl_attempt a "
      "ON a.trial = t.trial WHERE t.state = 1 AND a.state = 0 GROUP BY a.trial, a.replicate, a.fold, a.piece "
      "ORDER BY a.trial DESC, a.replicate DESC, a.fold DESC");
  std::vector<LivePiece> pieces;
  std::vector<std::int64_t> workers;
  while (rows.step()) {
    const trial::Member member{trial::TrialId(rows.integer(0)), int(rows.integer(1)), int(rows.integer(2))};
    pieces.push_back({{member, int(rows.integer(3))}, int(rows.integer(4)), 0, {}, {}, {}});
    workers.push_back(rows.integer(5));
  }
  std::sort(workers.begin(), workers.end());
  live.busy = std::unique(workers.begin(), workers.end()) - workers.begin();
  return pieces;
}

/// A worker that has the next pieces of short work already runs only the first of them, but nobody can tell.
void take_pieces(const OpenedStudy& study, std::size_t most, Live& live) {
  live.pieces = attempts_of(study, live);
  const bool are_several = has_members(study);
  for (std::size_t i = 0; i < live.pieces.size(); ++i) {
    LivePiece& piece = live.pieces[i];
    const std::int64_t base = base_of(study, piece.key.member, are_several);
    piece.epochs = base;
    take_curve(study, piece);
    live.epochs += piece.epochs - base;
    if (i >= most) continue;
    piece.params = params_of(study, piece.key.member.trial.value);
    piece.logs = logs_of(study, piece.key, piece.attempt);
  }
  if (live.pieces.size() > most) live.pieces.resize(most);
  std::reverse(live.pieces.begin(), live.pieces.end());
}

}  // namespace

Live LiveReader::read() {
  Live live;
  live.is_driven = storage::WriterLock::is_held(storage::study_file(store_, study_, ".lock"));
  const OpenedStudy study = open_study(store_, study_);
  const Snapshot snapshot(study);
  live.metric = study.metric;
  take_counts(study, live);
  const std::int64_t driver = driver_of(study);
  const auto [before, is_new] = before_.try_emplace(driver, 0);
  if (is_new) before->second = epochs_before(study, driver);
  live.epochs_before = before->second;
  live.epochs = recorded_epochs(study);
  live.seconds = seconds_of(study, driver, live.is_driven);
  if (!live.is_driven) return live;
  storage::Statement workers =
      study.query("SELECT count(*) FROM dl_worker WHERE epoch = ? AND state IN ('running', 'joined')");
  workers.bind(driver).step();
  live.workers = workers.integer(0);
  take_pieces(study, most_, live);
  return live;
}

}  // namespace dlrun::report
