// SPDX-License-Identifier: Apache-2.0
// Parts of a store, each without the store: the transaction and its fence, rows of attempts and openings, artifacts,
// files beside the database.
#include "storage/attempt_rows.hpp"
#include "storage/creation.hpp"
#include "storage/moving.hpp"
#include "storage/opening_rows.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "storage/side_files.hpp"
#include "storage/stored_artifacts.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace parts_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::piece_of;

namespace {

void make_study(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "studies");
  build_study(folder, support::sample_row(), {});
}

trial::Runtime computed_in(const char* numerics) {
  trial::Runtime runtime;
  runtime.numerics = numerics;
  return runtime;
}

Environment with_arithmetic(int version) {
  Environment environment;
  environment.arithmetic = version;
  return environment;
}

struct Fixture {
  support::TempFolder folder;
  const bool is_made = (make_study(folder.path()), true);
  std::filesystem::path lock_file = study_file(folder.path(), "sample", ".lock");
  WriterLock lock{lock_file, "study 'sample'"};
  Database database{study_file(folder.path(), "sample", ".db"), Database::Mode::write};
  std::int64_t epoch = take_epoch(database);
  Transaction transaction{database, lock, lock_file, "sample", epoch};

  void insert_artifact(const std::string& sha256) {
    transaction.begin();
    AttemptRows attempts(database, transaction, epoch);
    attempts.start({piece_of(0), 1, 0});
    trial::PieceResult result = support::result_of(0, 0.5);
    result.artifacts = {{"last", sha256, 12, 1}};
    attempts.end(result);
    transaction.commit(Durability::normal);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "files that a study needs are those that are not deleted", "[storage][parts]") {
  CHECK(needed_by(database).empty());
  CHECK(needed_by_best(database).empty());
  insert_artifact("first");
  CHECK(needed_by(database) == Hashes{"first"});
  CHECK(needed_by_best(database).empty());  // no trial has a value
  database.run("INSERT INTO dl_trial (trial, state, objective, epochs) VALUES (0, 3, 0.5, 1)");
  CHECK(needed_by_best(database) == Hashes{"first"});
  forget_artifacts(database, {"first"});
  CHECK(needed_by(database).empty());
}

TEST_CASE("facts of a study are what its file says", "[storage][parts]") {
  const support::TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  support::write_trial(*store, 0, 0.5);
  support::write_trial(*store, 1, 0.25);
  store->study_state("finished", "all done");
  const StudyFacts facts = facts_of(*open_for_reading(study_file(folder.path(), "sample", ".db")));
  CHECK(facts.row.name == "sample");
  CHECK(facts.row.hash == "h-sample");
  CHECK(facts.state == "finished");
  CHECK(facts.trials == 2);
  CHECK(facts.schema == current_schema());
  CHECK(facts.head.seq > 0);
}

TEST_CASE_METHOD(Fixture, "a transaction is begun once and ended once", "[storage][transaction]") {
  CHECK_THROWS_WITH(transaction.require(), Contains("outside of a transaction"));
  transaction.begin();
  CHECK_NOTHROW(transaction.require());
  CHECK_THROWS_WITH(transaction.begin(), Contains("begin at a wrong time"));
  transaction.commit(Durability::full);
  CHECK_THROWS_WITH(transaction.require(), Contains("outside of a transaction"));
  CHECK_FALSE(transaction.rollback());
  transaction.begin();
  CHECK(transaction.rollback());
}

TEST_CASE_METHOD(Fixture, "a newer opening fences an older one", "[storage][transaction]") {
  take_epoch(database);
  CHECK_THROWS_WITH(transaction.begin(), Contains("was taken over by process"));
  CHECK_THROWS_WITH(transaction.begin(), Contains("begin at a wrong time"));  // it writes no more
}

TEST_CASE_METHOD(Fixture, "a revoked lock fences its holder", "[storage][transaction]") {
  CHECK_NOTHROW(transaction.require_ours());
  WriterLock::revoke(lock_file);
  CHECK_THROWS_WITH(transaction.require_ours(), Contains("was taken over"));
}

TEST_CASE_METHOD(Fixture, "rows of attempts are written in transactions alone", "[storage][attempts]") {
  AttemptRows attempts(database, transaction, epoch);
  OpeningRows opening(database, transaction, epoch);
  CHECK_THROWS_WITH(attempts.start({piece_of(0), 1, 3}), Contains("outside of a transaction"));
  opening.worker(3, 99, "here", "joined");
  transaction.begin();
  attempts.start({piece_of(0), 1, 3});
  transaction.commit(Durability::normal);
  CHECK(attempts.is_at_joined(piece_of(0), 1));
  CHECK_FALSE(attempts.whereabouts(piece_of(0), 1));
  transaction.begin();
  attempts.end(support::result_of(0, 0.5));
  transaction.commit(Durability::normal);
  CHECK_FALSE(attempts.is_at_joined(piece_of(0), 1));
  CHECK(attempts.whereabouts(piece_of(0), 1)->host == "here");
}

TEST_CASE_METHOD(Fixture, "an opening is compared with earlier ones", "[storage][opening]") {
  OpeningRows first(database, transaction, epoch);
  Environment with_program = with_arithmetic(1);
  with_program.program.files = {{"a.py", "1"}};
  CHECK_FALSE(first.environment(with_program));
  CHECK_FALSE(first.earlier_program().is_recorded());
  first.worker(0, 99, "here", "running");
  CHECK(first.runtime(0, computed_in("avx2")).empty());
  OpeningRows second(database, transaction, take_epoch(database));
  CHECK(second.environment(with_arithmetic(2)) == 1);
  CHECK(second.earlier_program().files == with_program.program.files);
  second.worker(0, 99, "here", "running");
  CHECK(second.runtime(0, computed_in("avx512")) == "avx2");
}

TEST_CASE_METHOD(Fixture, "artifacts are known by their rows", "[storage][artifacts]") {
  const std::string sha256(64, 'a');
  StoredArtifacts artifacts(database, transaction, folder.path(), "sample");
  CHECK(artifacts.folder() == folder.path() / "artifacts");
  CHECK_FALSE(artifacts.bytes_of(sha256));
  insert_artifact(sha256);
  CHECK(artifacts.bytes_of(sha256) == 12);
  CHECK(artifacts.last_of(piece_of(0).member) == sha256);
  CHECK(artifacts.kept({}) == std::vector<std::string>{sha256});
}

TEST_CASE_METHOD(Fixture, "a driver that was taken over leaves the head alone", "[storage][head]") {
  LogTable log(database);
  SideFiles ours(folder.path(), "sample"), fenced(folder.path(), "sample");
  const std::filesystem::path head = study_file(folder.path(), "sample", ".head");
  WriterLock::revoke(lock_file);
  fenced.follow(database, log, lock, Durability::full);
  CHECK_FALSE(std::filesystem::exists(head));
  const WriterLock next(lock_file, "study 'sample'");
  ours.follow(database, log, next, Durability::normal);
  CHECK_FALSE(std::filesystem::exists(head));
  ours.follow(database, log, next, Durability::full);
  CHECK(std::filesystem::exists(head));
}

TEST_CASE_METHOD(Fixture, "a lost tail and another row are told apart", "[storage][head]") {
  LogTable log(database);
  SideFiles beside(folder.path(), "sample");
  CHECK(beside.compare(log, "x.db").empty());  // no head was written yet
  beside.finish(database.path(), log.head());
  CHECK(beside.compare(log, "x.db").empty());
  Head later = log.head();
  later.seq += 5;
  beside.finish(database.path(), later);
  CHECK_THAT(beside.compare(log, "x.db"), Contains("its last rows are lost"));
  log.append(encode(support::start_of(0)));
  Head other = log.head();
  other.hash = std::string(64, '0');
  beside.finish(database.path(), other);
  CHECK_THROWS_WITH(beside.compare(log, "x.db"), Contains("is not the one that was written"));
}

}  // namespace parts_test
