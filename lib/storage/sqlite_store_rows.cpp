// SPDX-License-Identifier: Apache-2.0
// Rows that the Store writes: one log row and the tables beside it.
#include "storage/clock.hpp"
#include "storage/reading.hpp"
#include "storage/space_tables.hpp"
#include "storage/spec_table.hpp"
#include "storage/sqlite_store.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

/// A log tail is for people and stands in dl_attempt once; the chained row goes without it.
study::Event without_log_tail(const study::Event& event) {
  study::Event copy = event;
  if (auto* ended = std::get_if<study::PieceEnded>(&copy)) ended->result.log_tail.clear();
  if (auto* lost = std::get_if<study::AttemptLost>(&copy)) lost->log_tail.clear();
  if (auto* test = std::get_if<study::TestMeasured>(&copy)) test->result.log_tail.clear();
  return copy;
}

bool has_log_tail(const study::Event& event) {
  if (const auto* ended = std::get_if<study::PieceEnded>(&event)) return !ended->result.log_tail.empty();
  if (const auto* test = std::get_if<study::TestMeasured>(&event)) return !test->result.log_tail.empty();
  return std::holds_alternative<study::AttemptLost>(event);
}

trial::AttemptState state_of(const trial::PieceResult& result) {
  if (result.outcome != trial::Outcome::failed) return trial::AttemptState::completed;
  return result.cause == trial::Cause::cancelled ? trial::AttemptState::cancelled : trial::AttemptState::failed;
}

trial::AttemptState state_of(const study::AttemptLost& lost) {
  switch (lost.cause) {
    case trial::Cause::worker_lost:
    case trial::Cause::preempted:
    case trial::Cause::driver_lost: return trial::AttemptState::lost;
    case trial::Cause::overtaken:
    case trial::Cause::cancelled: return trial::AttemptState::cancelled;
    default: return trial::AttemptState::failed;
  }
}

std::int64_t number_of(std::optional<trial::TrialId> trial) { return trial ? trial->value : -1; }

}  // namespace

void SqliteStore::add(const study::Event& event) {
  require_transaction();
  tables_->log.append(has_log_tail(event) ? encode(without_log_tail(event)) : encode(event));
  if (const auto* ended = std::get_if<study::PieceEnded>(&event)) add_result(ended->result);
  if (const auto* lost = std::get_if<study::AttemptLost>(&event)) add_lost(*lost);
  if (const auto* test = std::get_if<study::TestMeasured>(&event)) {
    for (const trial::Report& report : test->result.reports) {
      tables_->metrics.add({test->result.key, test->result.attempt}, report, true);
    }
  }
}

void SqliteStore::cite(const study::PieceEnded& event, const Citation& citation) {
  require_transaction();
  tables_->attempts.cite(event.result.key, event.result.attempt, citation);
  add(study::Event(event));
  for (const std::string& sha256 : citation.missing) tables_->metrics.drop(event.result.key, sha256);
}

void SqliteStore::descend(trial::TrialId trial, const Origin& origin) {
  require_transaction();
  tables_->attempts.descend(trial, origin);
}

void SqliteStore::add_result(const trial::PieceResult& result) {
  tables_->attempts.end({.key = result.key,
                         .attempt = result.attempt,
                         .state = state_of(result),
                         .cause = result.cause,
                         .message = result.message,
                         .log_tail = result.log_tail,
                         .seconds = result.seconds,
                         .peak_rss = result.peak_rss});
  for (const trial::Report& report : result.reports) tables_->metrics.add({result.key, result.attempt}, report, true);
  for (const trial::Artifact& artifact : result.artifacts) tables_->metrics.add({result.key, result.attempt}, artifact);
  if (result.start) tables_->starts.add(result.key.member, *result.start);
  if (result.shared) tables_->attempts.share(result.key, result.attempt, *result.shared);
}

void SqliteStore::add_lost(const study::AttemptLost& lost) {
  tables_->attempts.end({.key = lost.key,
                         .attempt = lost.attempt,
                         .state = state_of(lost),
                         .cause = lost.cause,
                         .message = lost.message,
                         .log_tail = lost.log_tail});
}

void SqliteStore::add(const study::Decision& decision) {
  require_transaction();
  tables_->log.append(encode(decision));
  tables_->trials.add(decision);
}

void SqliteStore::amend(const study::Amended& amended, const StudyRow& version, const space::Space& space,
                        const std::vector<space::Values>& values) {
  require_transaction();
  const auto before = static_cast<std::size_t>(database_->integer("SELECT count(*) FROM dl_parameter"));
  tables_->log.append(encode(amended));
  insert_spec(*database_, amended, tables_->log.head().seq, version);
  insert_space(*database_, space);
  for (std::size_t i = 0; i < values.size(); ++i) tables_->trials.add_values(std::int64_t(i), values[i], before);
}

void SqliteStore::change(const study::TrialChanged& change) {
  require_transaction();
  tables_->trials.change(change);
}

void SqliteStore::change(const study::MemberMeasured& member) {
  require_transaction();
  tables_->trials.change(member);
}

void SqliteStore::start_attempt(const trial::PieceKey& key, int attempt, std::int64_t worker, const std::string& resume,
                                std::optional<int> partial, const std::optional<trial::PieceKey>& donor, int copy_of) {
  require_transaction();
  tables_->attempts.start({key, attempt, worker, resume, partial, donor, copy_of});
}

void SqliteStore::go_on(const trial::PieceKey& key, int attempt, std::int64_t worker) {
  require_transaction();
  tables_->attempts.go_on(key, attempt, worker);
}

bool SqliteStore::is_at_joined(const trial::PieceKey& key, int attempt) const {
  Statement row = database_->prepare(
      "SELECT 1 FROM dl_attempt a JOIN dl_worker w ON w.epoch = a.epoch AND w.worker = a.worker WHERE a.trial = ? AND "
      "a.replicate = ? AND a.fold = ? AND a.piece = ? AND a.attempt = ? AND a.state = 0 AND w.state = 'joined'");
  const trial::Member& m = key.member;
  return row.bind(m.trial.value, m.replicate, m.fold, key.piece, attempt).step();
}

void SqliteStore::start_from(const trial::PieceKey& key, int attempt, const std::vector<WeightDonor>& donors) {
  require_transaction();
  for (const WeightDonor& donor : donors) tables_->attempts.start_from(key, attempt, donor, donors.size() > 1);
}

void SqliteStore::telemetry(const trial::PieceKey& key, int attempt, const trial::Report& report) {
  require_transaction();
  tables_->metrics.add({key, attempt}, report, false);
}

std::string SqliteStore::last_artifact(const trial::Member& member) const {
  Statement row = database_->prepare(
      "SELECT sha256 FROM dl_artifact WHERE trial = ? AND replicate = ? AND fold = ? AND role = 'last' AND deleted IS "
      "NULL ORDER BY piece DESC, step DESC, attempt LIMIT 1");
  return row.bind(member.trial.value, member.replicate, member.fold).step() ? std::string(row.text(0)) : "";
}

std::optional<Whereabouts> SqliteStore::whereabouts(const trial::PieceKey& key, int attempt) const {
  Statement& end = tables_->end;
  Statement& hosts = tables_->hosts;
  const trial::Member& m = key.member;
  if (!end.bind(m.trial.value, m.replicate, m.fold, key.piece, attempt).step()) return std::nullopt;
  Whereabouts out{.host = std::string(end.text(0)), .ended = end.integer(1), .hosts = {}};
  const bool has_succeeded = end.integer(2) == int(trial::AttemptState::completed);
  hosts.bind(end.integer(3), out.ended);
  end.reset();
  while (!has_succeeded && hosts.step()) out.hosts.emplace(hosts.text(0));
  hosts.reset();
  return out;
}

void SqliteStore::worker(std::int64_t number, std::int64_t pid, const std::string& host, const std::string& state) {
  database_
      ->prepare(
          "INSERT INTO dl_worker (epoch, worker, pid, host, state, started, changed) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (epoch, worker) DO UPDATE SET "
          "pid = ?3, host = ?4, state = ?5, changed = ?6")
      .run(epoch_, number, pid, host, state, now_ms());
}

std::string SqliteStore::runtime(std::int64_t worker, const trial::Runtime& r) {
  const auto text = [](const std::string& t) { return t.empty() ? std::nullopt : std::optional(t); };
  std::optional<int> threads;
  if (r.threads > 0) threads = r.threads;
  database_
      ->prepare(
          "UPDATE dl_worker SET libtorch = ?, device = ?, threads = ?, cores = ?, numerics = ? "
          "WHERE epoch = ? AND worker = ?")
      .run(text(r.libtorch), text(r.device), threads, text(r.cores), text(r.numerics), epoch_, worker);
  Statement earlier = database_->prepare(
      "SELECT numerics FROM dl_worker WHERE epoch < ? AND numerics <> ? ORDER BY epoch DESC LIMIT 1");
  return !r.numerics.empty() && earlier.bind(epoch_, r.numerics).step() ? std::string(earlier.text(0)) : "";
}

void SqliteStore::steps(const trial::PieceKey& key, int attempt, const std::vector<trial::Report>& reports) {
  require_transaction();
  for (const trial::Report& report : reports) tables_->metrics.add_step({key, attempt}, report);
}

void SqliteStore::energy(const trial::PieceKey& key, int attempt, const std::string& source,
                         std::optional<double> joules) {
  require_transaction();
  const trial::Member& m = key.member;
  tables_->energy.run(m.trial.value, m.replicate, m.fold, key.piece, attempt, source, joules);
}

void SqliteStore::energy(const std::string& what, const std::string& source, std::optional<double> joules) {
  require_transaction();
  database_->prepare("INSERT OR REPLACE INTO dl_energy_rest VALUES (?, ?, ?, ?)").run(epoch_, what, source, joules);
}

std::optional<int> SqliteStore::environment(const Environment& e) {
  database_->prepare("INSERT OR REPLACE INTO dl_environment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(epoch_, e.version, e.host, e.os, e.device, e.compiler, e.libtorch, e.git_revision, e.git_dirty,
           e.data_sha256, e.command, e.cores, e.arithmetic);
  return other_arithmetic(*database_, e.arithmetic);
}

void SqliteStore::study_state(const std::string& state, const std::string& reason) {
  const bool is_running = state == "running";
  database_
      ->prepare(
          "UPDATE dl_study SET state = ?1, reason = ?2, started = iif(?3, ?4, started), "
          "finished = iif(?3, NULL, ?4)")
      .run(state, reason, is_running, now_ms());
  if (is_running) write_file(folder_ / "last", name_ + "\n", {.durable = false});
}

void SqliteStore::note(std::optional<trial::TrialId> trial, const std::string& text) {
  std::optional<std::int64_t> number;
  if (trial) number = trial->value;
  database_->prepare("INSERT INTO dl_note (trial, time, text) VALUES (?, ?, ?)").run(number, now_ms(), text);
}

void SqliteStore::tag(std::optional<trial::TrialId> trial, const std::string& tag, bool remove) {
  const char* sql =
      remove ? "DELETE FROM dl_tag WHERE trial = ? AND tag = ?" : "INSERT OR IGNORE INTO dl_tag VALUES (?, ?)";
  database_->prepare(sql).run(number_of(trial), tag);
}

}  // namespace dlrun::storage
