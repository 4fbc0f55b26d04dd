// SPDX-License-Identifier: Apache-2.0
// Every table that is made from the log is compared with it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "storage/log_table.hpp"
#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "storage/store.hpp"
#include "storage/verify.hpp"
#include "storage/verify_rows.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace verify_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::piece_of;
using Faults = std::vector<std::string>;

namespace {

const std::string kHash(64, 'a');

space::Space one_parameter() { return space::Space({{.name = "x", .low = 0, .high = 1}}); }

trial::PieceResult first_piece() {
  trial::PieceResult result = support::result_of(0, 0.5);
  result.artifacts = {{"last", kHash, 3, 1}};
  result.start = trial::WeightStart{{{"w", "copied", std::string(64, 'd'), "w", {2}, {2}}, {"b", "fresh"}}, {}};
  return result;
}

trial::PieceResult test_result() {
  return {.key = piece_of(0, 1'000'000), .attempt = 1, .reports = {{1, {{"test.accuracy", 0.25}}}}};
}

/// A study of one trial with a row in every table.
std::filesystem::path write_rows(const std::filesystem::path& folder) {
  const auto store = Store::create(folder, support::sample_row(), one_parameter());
  store->begin();
  store->add(support::start_of(0, {0.125}));
  store->attempts().start({piece_of(0), 1, 0});
  store->attempts().start_from(piece_of(0), 1, {{std::string(64, 'd'), "", -1}});
  store->attempts().energy(piece_of(0), 1, "cpu", 5.0);
  store->add(study::Event(study::PieceEnded{first_piece()}));
  store->change({trial::TrialId(0), trial::TrialState::completed, 0.5, 1, trial::Cause::none, "", 1});
  store->add(study::Event(study::TestMeasured{test_result()}));
  store->commit(Durability::normal);
  store->close();
  return study_file(folder, "sample", ".db");
}

Faults faults_of(Database& database) {
  LogTable log(database);
  RowCheck rows(database);
  log.replay([&](const LogRow& row) { rows.compare(row); });
  rows.finish();
  return {rows.faults().begin(), rows.faults().end()};
}

/// Faults that are found after a change, which is taken back.
Faults after(const std::string& sql) {
  static const support::TempFolder folder;
  static Database database(write_rows(folder.path()), Database::Mode::write);
  database.run("BEGIN");
  database.run(sql);
  Faults faults = faults_of(database);
  database.run("ROLLBACK");
  return faults;
}

Faults belong_to_none(const std::string& table) { return {"1 rows of " + table + " belong to no trial"}; }

}  // namespace

TEST_CASE("a sound study has no faults", "[storage][verify]") { CHECK(after("SELECT 1") == Faults{}); }

TEST_CASE("values of metrics and of tests are those of the log", "[storage][verify]") {
  const auto set = [](const std::string& what, const std::string& metric) {
    return after("UPDATE dl_metric SET " + what + " WHERE metric = (SELECT metric FROM dl_metric_name WHERE name = '" +
                 metric + "')");
  };
  const Faults value = {"val.accuracy of trial 0 at epoch 1 is not what the log says, 0.5"};
  const Faults test = {"test.accuracy of trial 0 at epoch 1 is not what the log says, 0.25"};
  CHECK(set("value = value + 1e-15", "val.accuracy") == value);
  CHECK(set("value = NULL", "val.accuracy") == value);
  CHECK(set("committed = 0", "val.accuracy") == value);
  CHECK(set("value = value + 1e-15", "test.accuracy") == test);
  CHECK(set("committed = 0", "test.accuracy") == test);
}

TEST_CASE("values of an attempt that failed may be gone once another has ended", "[storage][verify]") {
  const support::TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), one_parameter());
  const auto end = [&](int attempt, trial::Outcome outcome, const char* metric) {
    trial::PieceResult result{.key = piece_of(0), .attempt = attempt, .outcome = outcome};
    result.reports = {{1, {{metric, 0.5}}}};
    store->add(study::Event(study::PieceEnded{result}));
  };
  store->begin();
  store->add(support::start_of(0, {0.125}));
  end(1, trial::Outcome::failed, "only.then");
  end(2, trial::Outcome::completed, "val.accuracy");
  store->commit(Durability::normal);
  store->close();
  Database database(study_file(folder.path(), "sample", ".db"), Database::Mode::read);
  CHECK(faults_of(database) == Faults{});
}

TEST_CASE("decisions and parameters are those of the log", "[storage][verify]") {
  for (const char* column :
       {"kind", "lane", "at", "\"end\"", "trial", "replicate", "fold", "piece", "from_step", "to_step"}) {
    CAPTURE(column);
    const std::string name = column;
    CHECK(after("UPDATE dl_decision SET " + name + " = coalesce(" + name + ", 0) + 1") ==
          Faults{"decision 0 is not what the log says"});
  }
  const Faults parameters = {"the parameters of trial 0 are not what the log says"};
  CHECK(after("UPDATE dl_param SET value = 0.25") == parameters);
  CHECK(after("DELETE FROM dl_param") == parameters);
}

TEST_CASE("the first weights are those of the log", "[storage][verify]") {
  const Faults weights = {"the first weights of trial 0 are not what the log says"};
  CHECK(after("UPDATE dl_start SET tensor = 'v' WHERE tensor = 'w'") == weights);
  CHECK(after("UPDATE dl_start SET rule = 'averaged' WHERE tensor = 'w'") == weights);
  CHECK(after("UPDATE dl_start SET artifact = 'e' WHERE tensor = 'w'") == weights);
  CHECK(after("DELETE FROM dl_start WHERE tensor = 'b'") == weights);
}

TEST_CASE("artifacts are those of the log", "[storage][verify]") {
  const Faults artifact = {"the last of trial 0 at epoch 1 is not what the log says, " + kHash};
  CHECK(after("UPDATE dl_artifact SET sha256 = 'b'") == artifact);
  CHECK(after("UPDATE dl_artifact SET bytes = 4") == artifact);
  const Faults extra = {"1 of 2 artifacts are in no row of the log"};
  CHECK(after("INSERT INTO dl_artifact VALUES (0, 0, 0, 0, 1, 'best', 1, '" + kHash + "', 3, NULL)") == extra);
}

TEST_CASE("rows of every table belong to a trial", "[storage][verify]") {
  for (const std::string table : {"dl_edge", "dl_energy", "dl_attempt"}) {
    CAPTURE(table);
    CHECK(after("UPDATE " + table + " SET trial = 7") == belong_to_none(table));
  }
  CHECK(after("INSERT INTO dl_start VALUES (7, 0, 0, 0, 'w', 'fresh', NULL, NULL, NULL, NULL)") ==
        belong_to_none("dl_start"));
  CHECK(after("INSERT INTO dl_gang_node VALUES (7, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, NULL, NULL)") ==
        belong_to_none("dl_gang_node"));
  CHECK(after("INSERT INTO dl_param VALUES (7, 0, 0.5)") == belong_to_none("dl_param"));
}

namespace {

/// Whether this process has the file open.
bool is_open(const std::filesystem::path& file) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    if (std::filesystem::read_symlink(entry.path(), none) == std::filesystem::canonical(file)) return true;
  }
  return false;
}

}  // namespace

// The head was read after the rows, of which a driver had written more meanwhile: the log seemed to end before it.
TEST_CASE("a row that is written while the log is read is no fault", "[storage][verify]") {
  const support::TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  support::write_trial(*store, 0, 0.5);
  const auto head_file = study_file(folder.path(), "sample", ".head");
  std::filesystem::remove(head_file);
  REQUIRE(::mkfifo(head_file.c_str(), 0600) == 0);  // the reader waits there until more is written
  std::thread driver([&] {
    const int fd = ::open(head_file.c_str(), O_WRONLY | O_CLOEXEC);
    support::write_trial(*store, 1, 0.5, {}, Durability::full);  // and the new head, into the pipe
    ::close(fd);
  });
  const Faults faults = verify_study(folder.path(), "sample", true).faults;
  driver.join();
  std::filesystem::remove(head_file);
  CHECK(faults == Faults{});
}

// A driver that ended meanwhile had deleted it, and its row said so: "is missing".
TEST_CASE("an artifact that is given up while files are read is no fault", "[storage][verify]") {
  const support::TempFolder folder;
  const std::string first(64, '0'), second(64, '1');
  const auto file_of = [&](const std::string& hash) { return checkpoint_file(folder.path(), hash); };
  for (const std::string& hash : {first, second}) {
    make_folders(file_of(hash).parent_path());
    write_file(file_of(hash), "x");
  }
  constexpr std::int64_t kLarge = 256 << 20;  // holes, which take a moment to read
  std::filesystem::resize_file(file_of(first), kLarge);
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  store->begin();
  for (const std::int64_t trial : {0, 1}) {
    store->add(support::start_of(trial));
    trial::PieceResult result = support::result_of(trial, 0.5);
    result.artifacts = {{"last", trial == 0 ? first : second, trial == 0 ? kLarge : 1, 1}};
    store->attempts().start({result.key, 1, 0});
    store->add(study::Event(study::PieceEnded{result}));
    store->change({trial::TrialId(trial), trial::TrialState::completed, 0.5, 1, trial::Cause::none, "", 1});
  }
  store->commit(Durability::full);
  std::atomic<bool> is_over = false;
  std::thread driver([&] {
    while (!is_over && !is_open(file_of(first))) std::this_thread::yield();
    Database database(study_file(folder.path(), "sample", ".db"), Database::Mode::write);
    database.run("UPDATE dl_artifact SET deleted = 1 WHERE trial = 1");
    std::filesystem::remove(file_of(second));
  });
  const Faults faults = verify_study(folder.path(), "sample", true).faults;
  is_over = true;
  driver.join();
  CHECK(faults ==
        Faults{"artifact " + short_hash(first) + " (last of trial 0 at epoch 1) has another content: it is damaged"});
}

}  // namespace verify_test
