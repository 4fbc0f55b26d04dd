// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, foreign, newer or cut off: each gets an error that says so, or its exact prefix.
#include <unistd.h>

#include <functional>

#include "storage/chain.hpp"
#include "storage/codec.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/random.hpp"
#include "writer.hpp"

namespace damage_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

std::filesystem::path db(const TempFolder& folder) { return study_file(folder.path(), "sample", ".db"); }

void write_closed(const TempFolder& folder, int trials) {
  auto store = Store::create(folder.path(), support::sample_row(), {});
  for (int i = 0; i < trials; ++i) support::write_trial(*store, i, 0.1 * i);
  store->close();
}

void edit(const TempFolder& folder, const std::string& sql) {
  Database database(db(folder), Database::Mode::write);
  database.run(sql);
}

std::string fault_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& fault) {
    return std::to_string(fault.exit_code()) + ": " + fault.what();
  }
  return "none";
}

std::int64_t rows_replayed(Store& store) {
  std::int64_t rows = 0;
  store.replay([&](const LogRow&) { ++rows; });
  return rows;
}

}  // namespace

TEST_CASE("any change of a row of the log is found", "[storage][damage]") {
  const TempFolder folder;
  write_closed(folder, 3);
  std::filesystem::remove(study_file(folder.path(), "sample", ".head"));
  const auto [change, message] = GENERATE(table<std::string, std::string>({
      {"UPDATE dl_log SET body = replace(body, '0.1', '0.2') WHERE seq = 4", "row 4 "},
      {"UPDATE dl_log SET time = time + 1 WHERE seq = 2", "row 2 "},
      {"UPDATE dl_log SET kind = 1 WHERE seq = 3", "row 3 "},
      {"DELETE FROM dl_log WHERE seq = 5", "row 5 "},
      {"UPDATE dl_log SET hash = zeroblob(32) WHERE seq = 1", "row 1 "},
      {"UPDATE dl_study SET spec = replace(spec, '0.1', '0.2')", "row 1 "},
      {"UPDATE dl_study SET seed = 8", "row 1 "},
  }));
  edit(folder, change);
  auto store = Store::open(folder.path(), "sample", {});
  const std::string fault = fault_of([&] { rows_replayed(*store); });
  CHECK_THAT(fault, Contains("4: " + message));
}

TEST_CASE("a change of settings that hold now is found", "[storage][damage]") {
  const TempFolder folder;
  write_closed(folder, 1);
  {
    StudyRow row = support::sample_row();
    row.spec["final"] = {{"epochs", 8}};
    auto store = Store::open(folder.path(), "sample", {});
    store->begin();
    store->renew_settings(row);
    store->commit(Durability::full);
    store->close();
  }
  std::filesystem::remove(study_file(folder.path(), "sample", ".head"));
  edit(folder, GENERATE("UPDATE dl_study SET spec = replace(spec, '8', '9')", "DELETE FROM dl_spec WHERE version = -1",
                        "UPDATE dl_spec SET spec = replace(spec, '8', '9') WHERE version = -1",
                        "UPDATE dl_spec SET hash = 'h' WHERE version = 0"));
  auto store = Store::open(folder.path(), "sample", {});
  CHECK_THAT(fault_of([&] { rows_replayed(*store); }), Contains("4: row 1 "));
}

TEST_CASE("a log of many rows is read in its order and to its damage", "[storage][damage]") {
  const TempFolder folder;
  constexpr int kTrials = 1400;  // several batches, of which some are decoded elsewhere
  {
    auto store = Store::create(folder.path(), support::sample_row(), {});
    for (int i = 0; i < kTrials; ++i) support::write_trial(*store, i, 0.1 * i, {}, Durability::normal);
    const Written written = read_log(*store);
    CHECK(written.rows == 2 * kTrials);
    CHECK(written.is_ordered);
    store->close();
  }
  std::filesystem::remove(study_file(folder.path(), "sample", ".head"));
  SECTION("a row that was changed") {
    edit(folder, "UPDATE dl_log SET time = time + 1 WHERE seq = 2500");
    auto store = Store::open(folder.path(), "sample", {});
    CHECK_THAT(fault_of([&] { rows_replayed(*store); }), Contains("4: row 2500 "));
  }
  SECTION("who reads stops in the middle") {
    auto store = Store::open(folder.path(), "sample", {});
    int left = 1500;
    const auto read_some = [&] {
      store->replay([&](const LogRow&) {
        if (--left == 0) throw Error(ErrorKind::store, "enough");
      });
    };
    CHECK(fault_of(read_some) == "4: enough");
    CHECK(rows_replayed(*store) == 2 * kTrials);
  }
}

TEST_CASE("a tail that was lost is told, a tail that was changed is refused", "[storage][damage]") {
  const TempFolder folder;
  write_closed(folder, 3);
  SECTION("lost") {
    edit(folder, "DELETE FROM dl_log WHERE seq > 4");
    auto store = Store::open(folder.path(), "sample", {});
    REQUIRE(store->warnings().size() == 1);
    CHECK(store->warnings()[0] ==
          "the log of study 'sample' ends at row 4, but row 6 had been written: its last rows are lost");
    CHECK(rows_replayed(*store) == 4);
  }
  SECTION("changed") {
    edit(folder, "UPDATE dl_log SET hash = zeroblob(32) WHERE seq = 6");
    CHECK_THAT(fault_of([&] { Store::open(folder.path(), "sample", {}); }), Contains("4: row 6 of the log"));
  }
  SECTION("a torn side file is no fault") {
    write_file(study_file(folder.path(), "sample", ".head"), "{\"se");
    CHECK(Store::open(folder.path(), "sample", {})->warnings().empty());
  }
}

// Each of these took the study for the one that its file was named after: `resume other` ran a new study 'sample'.
TEST_CASE("a study whose file was renamed is refused", "[storage][damage]") {
  const TempFolder folder;
  write_closed(folder, 2);
  std::filesystem::rename(db(folder), study_file(folder.path(), "other", ".db"));
  const auto act = GENERATE(
      as<std::function<void(const std::filesystem::path&)>>{}, [](const auto& store) { Store::find(store, "other"); },
      [](const auto& store) { Store::versions(store, "other"); },
      [](const auto& store) { Store::open(store, "other", {}); });
  CHECK_THAT(fault_of([&] { act(folder.path()); }),
             Contains("4: ") && Contains("other.db' holds study 'sample', not 'other'"));
}

TEST_CASE("a file that is no study is refused", "[storage][damage]") {
  const TempFolder folder;
  make_folders(folder / "studies");
  SECTION("text") {
    write_file(db(folder), std::string(5000, 'x'));
    CHECK_THAT(fault_of([&] { Store::open(folder.path(), "sample", {}); }), Contains("file is not a database"));
    CHECK_THAT(fault_of([&] { Store::find(folder.path(), "sample"); }), Contains("4: "));
  }
  SECTION("empty") {
    write_file(db(folder), "");
    CHECK_THAT(fault_of([&] { Store::open(folder.path(), "sample", {}); }), Contains("is no study of dlrun"));
  }
  SECTION("somebody else's database") {
    { Database(db(folder), Database::Mode::create).run("CREATE TABLE t (a)"); }
    CHECK_THAT(fault_of([&] { Store::open(folder.path(), "sample", {}); }), Contains("is no study of dlrun"));
    CHECK_THAT(fault_of([&] { Store::find(folder.path(), "sample"); }), Contains("is no study of dlrun"));
  }
  SECTION("a folder") {
    std::filesystem::create_directory(db(folder));
    CHECK_THAT(fault_of([&] { Store::open(folder.path(), "sample", {}); }), Contains("unable to open database file"));
  }
}

TEST_CASE("a truncated database is an error, never a crash", "[storage][damage]") {
  const TempFolder folder;
  write_closed(folder, 50);
  const auto size = std::filesystem::file_size(db(folder));
  const int part = GENERATE(range(0, 20));
  std::filesystem::resize_file(db(folder), size * std::uintmax_t(part) / 20);
  const std::string fault = fault_of([&] {
    auto store = Store::open(folder.path(), "sample", {});
    rows_replayed(*store);
  });
  INFO("cut to " << part << "/20: " << fault);
  CHECK(fault.substr(0, 3) == "4: ");
}

TEST_CASE("a newer store is refused with both versions", "[storage][schema]") {
  const TempFolder folder;
  write_closed(folder, 1);
  edit(folder, "INSERT INTO dl_schema VALUES (99, 'from the future', '')");
  const std::string known = std::to_string(current_schema());
  for (const auto& act : std::vector<std::function<void()>>{[&] { Store::open(folder.path(), "sample", {}); },
                                                            [&] { Store::find(folder.path(), "sample"); }}) {
    CHECK_THAT(fault_of(act), Contains("has schema 99, but this dlrun knows up to schema " + known));
  }
}

TEST_CASE("a migration keeps a copy of what was before", "[storage][schema]") {
  const TempFolder folder;
  write_closed(folder, 2);
  std::vector<Migration> newer = embedded_sql();
  const Migration views = newer.back();
  newer.back() = {"0002_colour", "ALTER TABLE dl_trial ADD COLUMN colour TEXT"};
  newer.push_back(views);
  {
    Database database(db(folder), Database::Mode::write);
    migrate(database, newer);
    CHECK(schema_of(database) == current_schema() + 1);
    CHECK(database.integer("SELECT count(*) FROM v_trials WHERE state = 'completed'") == 2);
    CHECK(database.integer("SELECT count(*) FROM dl_trial WHERE colour IS NULL") == 2);
  }
  const auto copy = db(folder).string() + ".v" + std::to_string(current_schema());
  REQUIRE(std::filesystem::exists(copy));
  Database old(copy, Database::Mode::read);
  CHECK(schema_of(old) == current_schema());
  CHECK(old.integer("SELECT count(*) FROM dl_trial") == 2);
}

TEST_CASE("a migration that fails leaves the file as it was", "[storage][schema]") {
  const TempFolder folder;
  write_closed(folder, 2);
  std::vector<Migration> broken = embedded_sql();
  const Migration views = broken.back();
  broken.back() = {"0002_broken", "ALTER TABLE dl_trial ADD COLUMN colour TEXT; CREATE TABLE dl_trial (a);"};
  broken.push_back(views);
  {
    Database database(db(folder), Database::Mode::write);
    CHECK_THROWS_AS(migrate(database, broken), Error);
  }
  auto store = Store::open(folder.path(), "sample", {});
  CHECK(rows_replayed(*store) == 4);
}

TEST_CASE("a WAL cut off anywhere opens as whole transactions, in order", "[storage][damage]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  for (int i = 0; i < 12; ++i) support::write_trial(*store, i, 0.1 * i, {}, Durability::full);
  const std::string main_file = read_file(db(folder));
  const std::string wal = read_file(db(folder).string() + "-wal");
  REQUIRE(wal.size() > 100'000);
  store.reset();
  RandomStream random(7, {"cut"});
  for (int i = 0; i < 40; ++i) {
    const TempFolder cut;
    make_folders(cut / "studies");
    write_file(db(cut), main_file, {.durable = false});
    write_file(db(cut).string() + "-wal", wal.substr(0, random.below(wal.size())), {.durable = false});
    auto again = Store::open(cut.path(), "sample", {});
    const std::int64_t rows = rows_replayed(*again);
    CHECK(rows % 2 == 0);  // a decision and a result in each transaction
    CHECK(rows < 24);
  }
}

}  // namespace damage_test
