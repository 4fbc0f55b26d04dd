// SPDX-License-Identifier: Apache-2.0
#include "storage/trial_tables.hpp"

#include "storage/clock.hpp"

namespace dlrun::storage {

using study::DecisionKind;

TrialTables::TrialTables(Database& database)
    : decision_(database.prepare("INSERT INTO dl_decision VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      trial_(database.prepare("INSERT INTO dl_trial (trial, state, donor, donor_piece) VALUES (?, 0, ?, ?)")),
      param_(database.prepare("INSERT INTO dl_param (trial, parameter, value) VALUES (?, ?, ?)")),
      change_(
          database.prepare("UPDATE dl_trial SET state = ?2, objective = ?3, objective_step = ?4, epochs = ?5, "
                           "cause = ?6, message = ?7, finished = ?8, members = ?9, standard_error = ?10, low = ?11, "
                           "high = ?12, violation = coalesce(?13, violation) WHERE trial = ?1")),
      member_(database.prepare("INSERT OR REPLACE INTO dl_member VALUES (?, ?, ?, ?, ?, ?)")),
      value_(database.prepare("INSERT OR REPLACE INTO dl_value VALUES (?, ?, ?)")) {}

void TrialTables::add_decision(const study::Decision& d) {
  const trial::Member& m = d.key.member;
  std::optional<std::string_view> reason;
  if (!d.reason.empty()) reason = d.reason;
  if (m.trial.exists()) {
    decision_.run(d.number, int(d.kind), d.lane, d.at, d.end, m.trial.value, m.replicate, m.fold, d.key.piece,
                  d.from_step, d.to_step, reason);
  } else {
    decision_.run(d.number, int(d.kind), d.lane, d.at, d.end, nullptr, nullptr, nullptr, nullptr, d.from_step,
                  d.to_step, reason);
  }
  if (d.kind == DecisionKind::start) add_trial(d);
}

void TrialTables::add_trial(const study::Decision& d) {
  const std::int64_t trial = d.key.member.trial.value;
  std::optional<std::int64_t> donor;
  std::optional<int> piece;
  if (d.donor) donor = d.donor->member.trial.value, piece = d.donor->piece;
  trial_.run(trial, donor, piece);
  add_values(trial, d.values, 0);
}

void TrialTables::add_values(std::int64_t trial, const space::Values& values, std::size_t first) {
  for (std::size_t i = first; i < values.size(); ++i) {
    const space::Value& value = values[i];
    const auto index = std::int64_t(i);
    if (const auto* real = std::get_if<double>(&value)) param_.run(trial, index, *real);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) param_.run(trial, index, *whole);
    if (const auto* choice = std::get_if<space::Choice>(&value)) param_.run(trial, index, std::int64_t(choice->index));
  }
}

void TrialTables::change(const study::TrialChanged& c) {
  std::optional<std::int64_t> finished;
  if (trial::is_final(c.state)) finished = now_ms();
  std::optional<std::string_view> message;
  if (!c.message.empty()) message = c.message;
  std::optional<double> error, low, high;
  if (c.interval) error = c.interval->standard_error, low = c.interval->low, high = c.interval->high;
  change_.run(c.trial.value, int(c.state), c.objective, c.objective_step, c.steps, int(c.cause), message, finished,
              c.interval ? c.interval->n : 1, error, low, high, c.violation);
  for (std::size_t i = 0; i < c.further.size(); ++i) value_.run(c.trial.value, std::int64_t(i) + 1, c.further[i]);
}

void TrialTables::change(const study::MemberMeasured& c) {
  member_.run(c.member.trial.value, c.member.replicate, c.member.fold, c.objective, c.objective_step, c.steps);
}

AttemptTables::AttemptTables(Database& database, std::int64_t epoch)
    : epoch_(epoch),
      insert_(
          database.prepare("INSERT OR IGNORE INTO dl_attempt (trial, replicate, fold, piece, attempt, state, epoch, "
                           "worker, started) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)")),
      started_(database.prepare("UPDATE dl_trial SET attempts = attempts + 1, worker = ?2, "
                                "started = coalesce(started, ?3) WHERE trial = ?1")),
      moved_(database.prepare("UPDATE dl_attempt SET epoch = ?6, worker = ?7 WHERE trial = ?1 AND replicate = ?2 AND "
                              "fold = ?3 AND piece = ?4 AND attempt = ?5 AND state = 0")),
      end_(database.prepare(
          "UPDATE dl_attempt SET state = ?6, cause = ?7, message = ?8, log_tail = ?9, seconds = ?10, "
          "peak_rss = ?11, finished = ?12, repeated = ?13 WHERE trial = ?1 AND replicate = ?2 AND fold = ?3 AND "
          "piece = ?4 AND attempt = ?5")),
      seconds_(database.prepare("UPDATE dl_trial SET seconds = seconds + ?2 WHERE trial = ?1")),
      edge_(database.prepare("INSERT OR REPLACE INTO dl_edge VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      earlier_(
          database.prepare("SELECT max(attempt) FROM dl_attempt WHERE trial = ? AND replicate = ? AND fold = ? AND "
                           "piece = ? AND attempt < ?")) {}

void AttemptTables::start(const AttemptStart& s) {
  const trial::Member& m = s.key.member;
  const std::int64_t now = now_ms();
  const int added = insert_.run(m.trial.value, m.replicate, m.fold, s.key.piece, s.attempt, epoch_, s.worker, now);
  if (added > 0) started_.run(m.trial.value, s.worker, now);
  if (s.donor) {
    edge(s, "inherited_from", s.donor->piece, std::nullopt, s.resume, s.donor->member.trial.value);
  } else if (!s.resume.empty()) {
    edge(s, "continued_from", s.key.piece - 1, std::nullopt, s.resume);
  }
  if (s.partial) edge(s, "resumed_from", s.key.piece, s.partial, "");
  if (s.copy_of > 0) return edge(s, "copied_from", s.key.piece, s.copy_of, "");
  if (s.attempt == 0) return;
  if (earlier_.bind(m.trial.value, m.replicate, m.fold, s.key.piece, s.attempt).step() && !earlier_.is_null(0)) {
    edge(s, "retried_after", s.key.piece, int(earlier_.integer(0)), "");
  }
  earlier_.reset();
}

void AttemptTables::go_on(const trial::PieceKey& key, int attempt, std::int64_t worker) {
  const trial::Member& m = key.member;
  moved_.run(m.trial.value, m.replicate, m.fold, key.piece, attempt, epoch_, worker);
}

void AttemptTables::edge(const AttemptStart& s, const char* kind, std::optional<int> piece, std::optional<int> attempt,
                         const std::string& artifact, std::optional<std::int64_t> trial,
                         const std::optional<std::string>& study, std::optional<std::int64_t> epochs) {
  const trial::Member& m = s.key.member;
  edge_.run(m.trial.value, m.replicate, m.fold, s.key.piece, s.attempt, kind, piece, attempt, artifact, trial, study,
            epochs);
}

void AttemptTables::start_from(const trial::PieceKey& key, int attempt, const WeightDonor& donor, bool is_mean) {
  std::optional<std::int64_t> trial;
  if (donor.trial >= 0) trial = donor.trial;
  edge({key, attempt}, is_mean ? "averaged_from" : "started_from", std::nullopt, std::nullopt, donor.artifact, trial,
       donor.study.empty() ? std::nullopt : std::optional(donor.study));
}

void AttemptTables::cite(const trial::PieceKey& key, int attempt, const Citation& citation) {
  const trial::Member& m = key.member;
  const std::int64_t now = now_ms();
  insert_.run(m.trial.value, m.replicate, m.fold, key.piece, attempt, epoch_, nullptr, now);
  started_.run(m.trial.value, nullptr, now);
  edge({key, attempt}, "cited_from", citation.piece.piece, std::nullopt, "", citation.piece.member.trial.value,
       citation.study);
}

void AttemptTables::share(const trial::PieceKey& key, int attempt, const trial::SharedStart& shared) {
  edge({key, attempt}, "shared_from", std::nullopt, std::nullopt, "", shared.member.trial.value, std::nullopt,
       shared.epochs);
}

void AttemptTables::descend(trial::TrialId trial, const Origin& origin) {
  edge({.key = {{trial}}}, origin.kind.c_str(), std::nullopt, std::nullopt, "", origin.trial.value, origin.study);
}

void AttemptTables::end(const AttemptEnd& e) {
  const trial::Member& m = e.key.member;
  const auto text = [](std::string_view t) { return t.empty() ? std::nullopt : std::optional<std::string_view>(t); };
  std::optional<std::int64_t> rss;
  if (e.peak_rss > 0) rss = e.peak_rss;
  std::optional<std::int64_t> repeated;
  if (e.repeated > 0) repeated = e.repeated;
  end_.run(m.trial.value, m.replicate, m.fold, e.key.piece, e.attempt, int(e.state), int(e.cause), text(e.message),
           text(e.log_tail), e.seconds, rss, now_ms(), repeated);
  if (e.seconds.value_or(0) > 0) seconds_.run(m.trial.value, *e.seconds);
}

}  // namespace dlrun::storage
