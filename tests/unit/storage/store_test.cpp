// SPDX-License-Identifier: Apache-2.0
// A study is made, written, closed and replayed; who may write; what a broken file gets.
#include "storage/store.hpp"

#include <sys/stat.h>

#include <cmath>
#include <limits>

#include "storage/codec.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "storage/spec_table.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace store_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

std::vector<std::string> bodies(Store& store) {
  std::vector<std::string> all;
  store.replay(
      [&](const LogRow& row) { all.push_back(std::visit([](const auto& r) { return encode(r).body; }, row)); });
  return all;
}

ErrorKind kind_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& fault) {
    INFO(fault.what());
    return fault.kind();
  }
  return ErrorKind::internal;
}

unsigned mode_of(const std::filesystem::path& file) {
  struct stat facts {};
  REQUIRE(::stat(file.c_str(), &facts) == 0);
  return facts.st_mode & 0777;
}

}  // namespace

TEST_CASE("what was committed is replayed in order", "[storage]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  for (int i = 0; i < 5; ++i) support::write_trial(*store, i, 0.1 * i, {}, Durability::full);
  const std::vector<std::string> before = bodies(*store);
  REQUIRE(before.size() == 10);
  store.reset();  // no close: as after a crash of the program
  store = Store::open(folder.path(), "sample", {});
  CHECK(bodies(*store) == before);
  CHECK(store->warnings().empty());
}

TEST_CASE("what was rolled back is not there, and the log goes on", "[storage]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  support::write_trial(*store, 0, 0.5);
  store->begin();
  store->add(support::start_of(1));
  store->add(study::Event(study::TestMeasured{support::result_of(1, 0.9)}));
  store->rollback();
  support::write_trial(*store, 1, 0.6);
  CHECK(bodies(*store).size() == 4);
}

TEST_CASE("an amended study has its new spec, and all versions", "[storage][amend]") {
  const TempFolder folder;
  const StudyRow first = support::sample_row();
  StudyRow second = first;
  second.hash = "h-second";
  second.spec_text = "study: sample\nlimits: {trials: 9}\n";
  second.spec["limits"] = {{"trials", 9}};
  second.slack = 700;
  const auto store = Store::create(folder.path(), first, {});
  store->begin();
  store->amend({.version = 1, .hash = second.hash, .digest = digest_of(second)}, second, {}, {});
  store->commit(Durability::normal);
  const auto same = [](const StudyRow& a, const StudyRow& b) {
    return a.hash == b.hash && a.spec_text == b.spec_text && a.spec == b.spec && a.slack == b.slack;
  };
  const std::vector<StudyRow> versions = Store::versions(folder.path(), "sample");
  REQUIRE(versions.size() == 2);
  CHECK(same(versions[0], first));
  CHECK(same(versions[1], second));
  CHECK(same(Store::find(folder.path(), "sample").value(), second));
}

TEST_CASE("new settings hold without a new version, until the next one", "[storage][amend]") {
  const TempFolder folder;
  const StudyRow first = support::sample_row();
  StudyRow settings = first;
  settings.spec_text = "study: sample\nfinal: {epochs: 8}\n";
  const auto store = Store::create(folder.path(), first, {});
  const auto write = [&](const auto& what) {
    store->begin();
    what();
    store->commit(Durability::normal);
  };
  for (const int epochs : {6, 8}) {
    settings.spec["final"] = {{"epochs", epochs}};
    write([&] { store->renew_settings(settings); });
    store->replay([](const LogRow&) {});
    std::vector<StudyRow> versions = Store::versions(folder.path(), "sample");
    versions.push_back(Store::find(folder.path(), "sample").value());
    REQUIRE(versions.size() == 2);
    for (const StudyRow& row : versions) CHECK((row.spec == settings.spec && row.spec_text == settings.spec_text));
  }
  StudyRow second = first;
  second.spec["limits"] = {{"trials", 9}};
  write([&] { store->amend({.version = 1, .hash = "h", .digest = digest_of(second)}, second, {}, {}); });
  store->replay([](const LogRow&) {});
  const std::vector<StudyRow> versions = Store::versions(folder.path(), "sample");
  REQUIRE(versions.size() == 2);
  CHECK(versions[0].spec == first.spec);
  CHECK(versions[1].spec == second.spec);
}

TEST_CASE("nothing is written outside of a transaction", "[storage]") {
  const TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  const study::PieceEnded ended{support::result_of(0, 0.5)};
  const std::vector<std::function<void()>> writes = {
      [&] { store->add(support::start_of(0)); },
      [&] { store->add(study::Event(ended)); },
      [&] { store->cite(ended, {}); },
      [&] { store->amend({}, support::sample_row(), {}, {}); },
      [&] { store->renew_settings(support::sample_row()); },
      [&] {
        store->change(study::TrialChanged{trial::TrialId(0), trial::TrialState::running, {}, 0});
      },
      [&] {
        store->change(study::MemberMeasured{{trial::TrialId(0)}, 0.5, 1, 1});
      },
      [&] { store->commit(Durability::normal); }};
  for (const auto& write : writes) CHECK_THROWS_WITH(write(), Contains("outside of a transaction"));
  store->begin();
  CHECK_THROWS_AS(store->begin(), Error);
}

TEST_CASE("a study keeps its own row", "[storage]") {
  const TempFolder folder;
  StudyRow row = support::sample_row();
  row.seed = GENERATE(std::uint64_t(0), std::uint64_t(7), UINT64_MAX, std::uint64_t(1) << 63);
  Store::create(folder.path(), row, {})->close();
  const std::optional<StudyRow> found = Store::find(folder.path(), "sample");
  REQUIRE(found);
  CHECK(found->seed == row.seed);
  CHECK(found->hash == row.hash);
  CHECK(found->spec == row.spec);
  CHECK(found->spec_text == row.spec_text);
  CHECK(found->slack == 500);
  CHECK(found->created == row.created);
  CHECK_FALSE(Store::find(folder.path(), "other"));
  CHECK(Store::names(folder.path()) == std::vector<std::string>{"sample"});
  CHECK(Store::names(folder / "none").empty());
}

TEST_CASE("a study of another version of this schema gets the views of this one", "[storage][schema]") {
  const TempFolder folder;
  Store::create(folder.path(), support::sample_row(), {})->close();
  const std::filesystem::path file = study_file(folder.path(), "sample", ".db");
  const auto schema_changes = [&] { return Database(file, Database::Mode::read).integer("PRAGMA schema_version"); };
  const auto made = schema_changes();
  Store::open(folder.path(), "sample", {})->close();
  CHECK(schema_changes() == made);  // its views are today's

  Database(file, Database::Mode::write).run("DROP VIEW v_best; CREATE VIEW v_best AS SELECT 99 AS trial");
  Store::open(folder.path(), "sample", {})->close();
  Database database(file, Database::Mode::read);
  CHECK_THAT(database.text("SELECT sql FROM sqlite_master WHERE name = 'v_best'"), Contains("t.objective_step"));
}

TEST_CASE("a closed study is one private file", "[storage]") {
  const TempFolder folder;
  auto store = Store::create(folder / "a/b", support::sample_row(), {});
  const auto file = study_file(folder / "a/b", "sample", ".db");
  support::write_trial(*store, 0, 0.5);
  CHECK(mode_of(file.string() + "-wal") == 0600);
  store->close();
  CHECK(mode_of(file) == 0600);
  CHECK(mode_of(file.parent_path()) == 0700);
  CHECK_FALSE(std::filesystem::exists(file.string() + "-wal"));
  CHECK_FALSE(std::filesystem::exists(file.string() + "-shm"));
  CHECK_FALSE(std::filesystem::exists(file.string() + ".new"));
}

TEST_CASE("a reader that is looking does not disturb a clean end", "[storage]") {
  const TempFolder folder;
  const auto file = study_file(folder.path(), "sample", ".db");
  auto store = Store::create(folder.path(), support::sample_row(), {});
  support::write_trial(*store, 0, 0.5);
  Database reader(file, Database::Mode::read);
  reader.run("BEGIN");
  CHECK(reader.integer("SELECT count(*) FROM v_trials") == 1);
  support::write_trial(*store, 1, 0.5);
  CHECK_NOTHROW(store->close());
  CHECK(reader.integer("SELECT count(*) FROM v_trials") == 1);  // still its own moment
  reader.run("COMMIT");
  CHECK(reader.integer("SELECT count(*) FROM v_trials") == 2);
  store.reset();
  reader.close();
  Store::open(folder.path(), "sample", {})->close();
  CHECK_FALSE(std::filesystem::exists(file.string() + "-wal"));
}

TEST_CASE("a second writer is refused and told who holds the study", "[storage][lock]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  try {
    Store::open(folder.path(), "sample", {});
    FAIL("a second writer was let in");
  } catch (const Error& fault) {
    CHECK(fault.exit_code() == 4);
    CHECK_THAT(fault.what(), Contains("study 'sample' is being written by process " + std::to_string(::getpid())));
    CHECK_THAT(fault.what(), Contains(" since 20"));
  }
  store.reset();
  CHECK(Store::open(folder.path(), "sample", {}) != nullptr);
}

TEST_CASE("a driver that was taken over cannot commit", "[storage][lock]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  {
    Database other(study_file(folder.path(), "sample", ".db"), Database::Mode::write);  // a host that has no such lock
    other.run("INSERT INTO dl_writer (host, pid, started) VALUES ('elsewhere', 1, 0)");
  }
  CHECK_THROWS_WITH(store->begin(), Contains("taken over by process 1 on elsewhere since 1970-"));
  CHECK(kind_of([&] { store->begin(); }) == ErrorKind::internal);  // whoever was fenced stays so
}

TEST_CASE("whoever's lock was revoked writes no more, and the next one gets it", "[storage][lock]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  CHECK_NOTHROW(store->require_ours());
  WriterLock::revoke(study_file(folder.path(), "sample", ".lock"));
  auto next = Store::open(folder.path(), "sample", {});
  CHECK(kind_of([&] { store->require_ours(); }) == ErrorKind::outside);
  CHECK(kind_of([&] { Store::open(folder.path(), "sample", {}); }) == ErrorKind::store);
  next->begin();
  next->commit(Durability::full);
}

TEST_CASE("a lock whose file was removed by hand is no lock revoked", "[storage][lock]") {
  const TempFolder folder;
  auto store = Store::create(folder.path(), support::sample_row(), {});
  std::filesystem::remove(study_file(folder.path(), "sample", ".lock"));
  CHECK_NOTHROW(store->require_ours());
}

TEST_CASE("names that are no names are refused", "[storage][paths]") {
  const TempFolder folder;
  const auto name = GENERATE(as<std::string>{}, "", ".", "..", "../x", "/etc/x", "a b", "a\nb", "ä",
                             std::string(101, 'a'), std::string("a\0b", 3));
  StudyRow row = support::sample_row(name);
  CHECK(kind_of([&] { Store::create(folder.path(), row, {}); }) == ErrorKind::usage);
  CHECK(kind_of([&] { Store::find(folder.path(), name); }) == ErrorKind::usage);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a study that is not there, or is there already, is an error of its own", "[storage]") {
  const TempFolder folder;
  CHECK(kind_of([&] { Store::open(folder.path(), "none", {}); }) == ErrorKind::not_found);
  Store::create(folder.path(), support::sample_row(), {})->close();
  CHECK(kind_of([&] { Store::create(folder.path(), support::sample_row(), {}); }) == ErrorKind::store);
}

TEST_CASE("values that are not finite come back as they were measured", "[storage]") {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  store->begin();
  store->add(support::start_of(0));
  store->attempts().start({support::piece_of(0), 1, 2});
  store->attempts().telemetry(support::piece_of(0), 1,
                              {1, {{"a", kInfinite}, {"b", -kInfinite}, {"c", std::nan("")}, {"d", 2.5}}});
  store->commit(Durability::normal);
  const auto values = store->attempts().values_of({trial::TrialId(0)}, 0, 1).at(0).metrics;
  REQUIRE(values.size() == 4);
  CHECK(values[0] == trial::Metric{"a", kInfinite});
  CHECK(values[1] == trial::Metric{"b", -kInfinite});
  CHECK(std::isnan(values[2].value));
  CHECK(values[3].value == 2.5);
}

TEST_CASE("the last study is the one started last", "[storage]") {
  const TempFolder folder;
  CHECK_FALSE(Store::last(folder.path()));
  for (const std::string name : {"one", "two"}) {
    auto store = Store::create(folder.path(), support::sample_row(name), {});
    store->study_state("running", "");
    store->study_state("finished", "all done");
    store->close();
  }
  CHECK(Store::last(folder.path()) == "two");
  Store::open(folder.path(), "one", {})->study_state("running", "");
  CHECK(Store::last(folder.path()) == "one");
  std::filesystem::remove(folder / "last");
  CHECK(Store::last(folder.path()) == "one");
}

}  // namespace store_test
