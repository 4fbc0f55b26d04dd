// SPDX-License-Identifier: Apache-2.0
#include "storage/store.hpp"

#include <sqlite3.h>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/space_tables.hpp"
#include "storage/spec_table.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

constexpr int kPatienceMs = 1000;  ///< time that a clean end waits for readers

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

Coded logged(const study::Event& event) {
  return has_log_tail(event) ? encode(without_log_tail(event)) : encode(event);
}

}  // namespace

struct Store::Parts {
  Parts(Database& database, const WriterLock& lock, const std::filesystem::path& folder, const std::string& name,
        std::int64_t epoch)
      : transaction(database, lock, study_file(folder, name, ".lock"), name, epoch),
        log(database),
        trials(database),
        attempts(database, transaction, epoch),
        opening(database, transaction, epoch),
        artifacts(database, transaction, folder, name) {}

  Transaction transaction;
  LogTable log;
  TrialTables trials;
  AttemptRows attempts;
  OpeningRows opening;
  StoredArtifacts artifacts;
};

Store::Store(const std::filesystem::path& folder, const std::string& name, WriterLock lock,
             std::unique_ptr<Database> database)
    : folder_(folder),
      name_(name),
      lock_(std::move(lock)),
      database_(std::move(database)),
      parts_(std::make_unique<Parts>(*database_, lock_, folder, name, take_epoch(*database_))),
      beside_(folder, name) {
  const std::string warning = beside_.compare(parts_->log, database_->path());
  if (!warning.empty()) warnings_.push_back(warning);
}

Store::~Store() = default;

Store::Parts& Store::parts() const {
  if (parts_ == nullptr) throw Error(ErrorKind::internal, "store: used after its end");
  return *parts_;
}

AttemptRows& Store::attempts() const { return parts().attempts; }
OpeningRows& Store::opening() const { return parts().opening; }
StoredArtifacts& Store::artifacts() const { return parts().artifacts; }
void Store::require_ours() { parts().transaction.require_ours(); }
void Store::begin() { parts().transaction.begin(); }

void Store::commit(Durability durability) {
  parts().transaction.commit(durability);
  beside_.follow(*database_, parts_->log, lock_, durability);
}

void Store::rollback() {
  if (!parts().transaction.rollback()) return;
  parts_->log.reload();
  parts_->attempts.reload();
}

void Store::add(const study::Event& event) {
  parts().transaction.require();
  parts_->log.append(logged(event));
  if (const auto* ended = std::get_if<study::PieceEnded>(&event)) parts_->attempts.end(ended->result);
  if (const auto* lost = std::get_if<study::AttemptLost>(&event)) parts_->attempts.lose(*lost);
  if (const auto* test = std::get_if<study::TestMeasured>(&event)) parts_->attempts.measure(test->result);
}

void Store::cite(const study::PieceEnded& event, const Citation& citation) {
  parts().transaction.require();
  parts_->log.append(logged(study::Event(event)));
  parts_->attempts.cite(event, citation);
}

void Store::add(const study::Decision& decision) {
  parts().transaction.require();
  parts_->log.append(encode(decision));
  parts_->trials.add_decision(decision);
}

void Store::amend(const study::Amended& amended, const StudyRow& version, const space::Space& space,
                  const std::vector<space::Values>& values) {
  parts().transaction.require();
  const auto before = static_cast<std::size_t>(database_->integer("SELECT count(*) FROM dl_parameter"));
  parts_->log.append(encode(amended));
  insert_spec(*database_, amended, parts_->log.head().seq, version);
  insert_space(*database_, space);
  for (std::size_t i = 0; i < values.size(); ++i) parts_->trials.add_values(std::int64_t(i), values[i], before);
}

void Store::renew_settings(const StudyRow& row) {
  parts().transaction.require();
  insert_settings(*database_, row);
}

void Store::change(const study::TrialChanged& change) {
  parts().transaction.require();
  parts_->trials.change(change);
}

void Store::change(const study::MemberMeasured& member) {
  parts().transaction.require();
  parts_->trials.change(member);
}

void Store::study_state(const std::string& state, const std::string& reason) {
  const bool is_running = state == "running";
  database_
      ->prepare(
          "UPDATE dl_study SET state = ?1, reason = ?2, started = iif(?3, ?4, started), "
          "finished = iif(?3, NULL, ?4)")
      .run(state, reason, is_running, now_ms());
  if (is_running) write_file(folder_ / "last", name_ + "\n", {.durable = false});
}

std::string Store::state() const {
  Statement row = database_->prepare("SELECT state FROM dl_study");
  return row.step() ? std::string(row.text(0)) : std::string();
}

void Store::note(std::optional<trial::TrialId> trial, const std::string& text) {
  std::optional<std::int64_t> number;
  if (trial) number = trial->value;
  database_->prepare("INSERT INTO dl_note (trial, time, text) VALUES (?, ?, ?)").run(number, now_ms(), text);
}

void Store::tag(std::optional<trial::TrialId> trial, const std::string& tag, bool remove) {
  const char* sql =
      remove ? "DELETE FROM dl_tag WHERE trial = ? AND tag = ?" : "INSERT OR IGNORE INTO dl_tag VALUES (?, ?)";
  database_->prepare(sql).run(trial ? trial->value : -1, tag);
}

void Store::crown(const RacedWinner& winner) { write_winner(*database_, winner); }

void Store::replay(const std::function<void(const LogRow&)>& row) { parts().log.replay(row); }

std::vector<std::string> Store::warnings() const {
  std::vector<std::string> all = warnings_;
  if (parts_ == nullptr) return all;
  const std::vector<std::string>& divergences = parts_->attempts.divergences();
  all.insert(all.end(), divergences.begin(), divergences.end());
  return all;
}

/// A reader that is looking just now keeps the WAL alive: nothing is lost, the next clean end folds it in.
void Store::leave_one_file() {
  sqlite3_busy_timeout(database_->handle(), kPatienceMs);
  try {
    database_->run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
  }
}

void Store::close() {
  if (parts_ == nullptr) return;
  rollback();
  const Head head = parts_->log.head();
  parts_.reset();
  leave_one_file();
  database_->close();
  beside_.finish(database_->path(), head);
}

}  // namespace dlrun::storage
