// SPDX-License-Identifier: Apache-2.0
#include "storage/attempt_rows.hpp"

#include "storage/clock.hpp"

namespace dlrun::storage {

namespace {

/// Milliseconds of an attempt `a` without an end, by epoch (?1) and time (?2) now. That of an earlier opening ended
/// with its worker or, if its driver was killed, after the last row that this driver wrote.
constexpr const char* kOpenMs =
    "(CASE WHEN a.epoch = ?1 THEN ?2 ELSE coalesce((SELECT w.changed FROM dl_worker w WHERE w.epoch = a.epoch AND "
    "w.worker = a.worker AND w.state IN ('ended', 'lost')), (SELECT max(l.time) FROM dl_log l WHERE l.time < (SELECT "
    "min(n.started) FROM dl_writer n WHERE n.epoch > a.epoch))) END - a.started)";

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

/// Whether another attempt runs at the piece: one of the two is a copy.
bool is_beside_another(Database& database, std::int64_t epoch, const trial::PieceResult& result) {
  Statement row = database.prepare(
      "SELECT 1 FROM dl_attempt WHERE trial = ? AND replicate = ? AND fold = ? AND piece = ? AND attempt <> ? AND "
      "state = 0 AND epoch = ?");
  const trial::Member& m = result.key.member;
  return row.bind(m.trial.value, m.replicate, m.fold, result.key.piece, result.attempt, epoch).step();
}

}  // namespace

AttemptRows::AttemptRows(Database& database, const Transaction& transaction, std::int64_t epoch)
    : database_(database),
      transaction_(transaction),
      epoch_(epoch),
      attempts_(database, epoch),
      metrics_(database),
      starts_(database),
      gangs_(database),
      energy_(database.prepare("INSERT OR REPLACE INTO dl_energy VALUES (?, ?, ?, ?, ?, ?, ?)")),
      end_(
          database.prepare("SELECT w.host, a.finished, a.state, a.epoch FROM dl_attempt a JOIN dl_worker w ON w.epoch "
                           "= a.epoch AND w.worker = a.worker WHERE a.trial = ? AND a.replicate = ? AND a.fold = ? AND "
                           "a.piece = ? AND a.attempt = ? AND a.finished IS NOT NULL")),
      hosts_(database.prepare("SELECT DISTINCT host FROM dl_worker WHERE epoch = ?1 AND started <= ?2 AND (state IN "
                              "('running', 'joined') OR changed >= ?2)")) {}

void AttemptRows::start(const AttemptStart& start) {
  transaction_.require();
  attempts_.start(start);
}

void AttemptRows::go_on(const trial::PieceKey& key, int attempt, std::int64_t worker) {
  transaction_.require();
  attempts_.go_on(key, attempt, worker);
}

bool AttemptRows::is_at_joined(const trial::PieceKey& key, int attempt) const {
  Statement row = database_.prepare(
      "SELECT 1 FROM dl_attempt a JOIN dl_worker w ON w.epoch = a.epoch AND w.worker = a.worker WHERE a.trial = ? AND "
      "a.replicate = ? AND a.fold = ? AND a.piece = ? AND a.attempt = ? AND a.state = 0 AND w.state = 'joined'");
  const trial::Member& m = key.member;
  return row.bind(m.trial.value, m.replicate, m.fold, key.piece, attempt).step();
}

std::optional<std::int64_t> AttemptRows::given_at(const trial::PieceKey& key, int attempt) const {
  Statement row = database_.prepare(
      "SELECT started FROM dl_attempt WHERE trial = ? AND replicate = ? AND fold = ? AND piece = ? AND attempt = ? AND "
      "state = 0");
  const trial::Member& m = key.member;
  const bool is_given = row.bind(m.trial.value, m.replicate, m.fold, key.piece, attempt).step();
  return is_given ? std::optional(row.integer(0)) : std::nullopt;
}

std::vector<trial::Report> AttemptRows::values_of(const trial::Member& m, std::int64_t from, std::int64_t to) const {
  Statement row = database_.prepare(
      "SELECT step, name, value, kind FROM dl_metric JOIN dl_metric_name USING (metric) WHERE trial = ? AND replicate "
      "= ? AND fold = ? AND step > ? AND step <= ? ORDER BY step, metric");
  std::vector<trial::Report> reports;
  for (row.bind(m.trial.value, m.replicate, m.fold, from, to); row.step();) {
    if (reports.empty() || reports.back().step != row.integer(0)) reports.push_back({row.integer(0), {}});
    reports.back().metrics.push_back({std::string(row.text(1)), stored_value(row, 2)});
  }
  return reports;
}

void AttemptRows::forget_others(const trial::PieceKey& key, int attempt) {
  transaction_.require();
  metrics_.forget_others({key, attempt});
}

void AttemptRows::start_from(const trial::PieceKey& key, int attempt, const std::vector<WeightDonor>& donors) {
  transaction_.require();
  for (const WeightDonor& donor : donors) attempts_.start_from(key, attempt, donor, donors.size() > 1);
}

void AttemptRows::telemetry(const trial::PieceKey& key, int attempt, const trial::Report& report) {
  transaction_.require();
  metrics_.add_report({key, attempt}, report, false);
}

void AttemptRows::steps(const trial::PieceKey& key, int attempt, const std::vector<trial::Report>& reports) {
  transaction_.require();
  for (const trial::Report& report : reports) metrics_.add_step({key, attempt}, report);
}

void AttemptRows::gangs(const trial::PieceKey& key, int attempt, const std::vector<trial::GangReport>& reports) {
  transaction_.require();
  for (const trial::GangReport& report : reports) gangs_.add_report(key, attempt, report);
}

void AttemptRows::energy(const trial::PieceKey& key, int attempt, const std::string& source,
                         std::optional<double> joules) {
  transaction_.require();
  const trial::Member& m = key.member;
  energy_.run(m.trial.value, m.replicate, m.fold, key.piece, attempt, source, joules);
}

void AttemptRows::repair(const trial::PieceKey& key, int attempt, std::int64_t epochs, double seconds) {
  transaction_.require();
  const trial::Member& m = key.member;
  database_
      .prepare(
          "INSERT INTO dl_repair (trial, replicate, fold, piece, attempt, epoch, epochs, seconds, time) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(m.trial.value, m.replicate, m.fold, key.piece, attempt, epoch_, epochs, seconds, now_ms());
}

std::optional<Whereabouts> AttemptRows::whereabouts(const trial::PieceKey& key, int attempt) {
  const trial::Member& m = key.member;
  if (!end_.bind(m.trial.value, m.replicate, m.fold, key.piece, attempt).step()) return std::nullopt;
  Whereabouts out{.host = std::string(end_.text(0)), .ended = end_.integer(1), .hosts = {}};
  const bool has_succeeded = end_.integer(2) == int(trial::AttemptState::completed);
  hosts_.bind(end_.integer(3), out.ended);
  end_.reset();
  while (!has_succeeded && hosts_.step()) out.hosts.emplace(hosts_.text(0));
  hosts_.reset();
  return out;
}

void AttemptRows::end(const trial::PieceResult& result) {
  attempts_.end({.key = result.key,
                 .attempt = result.attempt,
                 .state = state_of(result),
                 .cause = result.cause,
                 .message = result.message,
                 .log_tail = result.log_tail,
                 .seconds = result.seconds,
                 .peak_rss = result.peak_rss,
                 .repeated = result.repeated});
  for (const trial::Report& report : result.reports) metrics_.add_report({result.key, result.attempt}, report, true);
  const bool has_failed = result.outcome == trial::Outcome::failed;
  if (!has_failed || !is_beside_another(database_, epoch_, result))
    metrics_.forget_others({result.key, result.attempt});
  for (const trial::Artifact& artifact : result.artifacts)
    metrics_.add_artifact({result.key, result.attempt}, artifact);
  if (result.start) starts_.add_start(result.key.member, *result.start);
  if (result.shared) attempts_.share(result.key, result.attempt, *result.shared);
}

std::optional<double> AttemptRows::seconds_of(const trial::PieceKey& key, int attempt) const {
  Statement row = database_.prepare(std::string("SELECT ") + kOpenMs +
                                    " FROM dl_attempt a WHERE a.trial = ?3 AND a.replicate = ?4 AND a.fold = ?5 AND "
                                    "a.piece = ?6 AND a.attempt = ?7 AND a.state = 0");
  const trial::Member& m = key.member;
  row.bind(epoch_, now_ms(), m.trial.value, m.replicate, m.fold, key.piece, attempt);
  const bool is_known = row.step() && !row.is_null(0) && row.integer(0) > 0;
  if (!is_known) return std::nullopt;
  return double(row.integer(0)) / 1000;
}

double AttemptRows::seconds() const {
  Statement row =
      database_.prepare(std::string("SELECT total(iif(a.state = 0, max(0, ") + kOpenMs +
                        ") / 1000.0, a.seconds)) + (SELECT total(seconds) FROM dl_repair) FROM dl_attempt a");
  row.bind(epoch_, now_ms());
  row.step();
  return row.real(0);
}

void AttemptRows::abandon(const trial::PieceKey& key, int attempt) {
  transaction_.require();
  if (!given_at(key, attempt)) return;
  attempts_.end({.key = key,
                 .attempt = attempt,
                 .state = trial::AttemptState::cancelled,
                 .cause = trial::Cause::cancelled,
                 .message = {},
                 .log_tail = {},
                 .seconds = seconds_of(key, attempt)});
}

void AttemptRows::abandon(trial::TrialId trial) {
  Statement row =
      database_.prepare("SELECT replicate, fold, piece, attempt FROM dl_attempt WHERE trial = ? AND state = 0");
  std::vector<std::pair<trial::PieceKey, int>> open;
  row.bind(trial.value);
  while (row.step()) {
    const trial::Member member{trial, int(row.integer(0)), int(row.integer(1))};
    open.push_back({{member, int(row.integer(2))}, int(row.integer(3))});
  }
  for (const auto& [key, attempt] : open) abandon(key, attempt);
}

void AttemptRows::lose(const study::AttemptLost& lost) {
  attempts_.end({.key = lost.key,
                 .attempt = lost.attempt,
                 .state = state_of(lost),
                 .cause = lost.cause,
                 .message = lost.message,
                 .log_tail = lost.log_tail,
                 .seconds = seconds_of(lost.key, lost.attempt)});
}

void AttemptRows::measure(const trial::PieceResult& test) {
  for (const trial::Report& report : test.reports) metrics_.add_report({test.key, test.attempt}, report, true);
}

void AttemptRows::cite(const study::PieceEnded& event, const Citation& citation) {
  attempts_.cite(event.result.key, event.result.attempt, citation);
  end(event.result);
  for (const std::string& sha256 : citation.missing) metrics_.drop(event.result.key, sha256);
}

void AttemptRows::descend(trial::TrialId trial, const Origin& origin) {
  transaction_.require();
  attempts_.descend(trial, origin);
}

}  // namespace dlrun::storage
