// SPDX-License-Identifier: Apache-2.0
// What the keep policy deletes and what it must not.
#include "storage/retention.hpp"

#include "storage/artifact_files.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "storage/verify.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace retention_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& content) {
  const std::string hash = Sha256::hex_of(content);
  return folder / "artifacts" / hash.substr(0, 2) / (hash + ".safetensors");
}

trial::Artifact artifact(const std::filesystem::path& folder, const std::string& role, const std::string& content,
                         std::int64_t step) {
  const auto file = file_of(folder, content);
  make_folders(file.parent_path());
  write_file(file, content);
  return {role, Sha256::hex_of(content), std::int64_t(content.size()), step};
}

bool is_there(const std::filesystem::path& folder, const std::string& content) {
  return std::filesystem::exists(file_of(folder, content));
}

/// Trials 0, 1, 2 with objectives 0, 0.1, 0.2: two pieces each, a `last` at steps 1 and 2 and a `best` at 1.
std::unique_ptr<Store> write_study(const std::filesystem::path& folder, const std::string& name,
                                   bool with_epochs = false, trial::TrialState end = trial::TrialState::completed) {
  auto store = Store::create(folder, support::sample_row(name), {});
  for (std::int64_t t = 0; t < 3; ++t) {
    const std::string id = std::to_string(t);
    store->begin();
    store->add(support::start_of(t));
    for (int piece = 0; piece < 2; ++piece) {
      trial::PieceResult r = support::result_of(t, 0.1 * double(t));
      r.key.piece = piece;
      r.artifacts = {artifact(folder, "last", "last " + id + std::to_string(piece), piece + 1)};
      if (piece == 1) r.artifacts.push_back(artifact(folder, "best", "best " + id, 1));
      if (with_epochs)
        r.artifacts.push_back(artifact(folder, "epoch", "last " + id + std::to_string(piece), piece + 1));
      store->attempts().start({r.key, 1, 0});
      store->add(study::Event(study::PieceEnded{r}));
    }
    store->change({trial::TrialId(t), end, 0.1 * double(t), 2, trial::Cause::none, "", 2});
    store->commit(Durability::normal);
  }
  return store;
}

}  // namespace

TEST_CASE("all keeps everything, and epochs that were asked for stay whatever else goes", "[storage][retention]") {
  const TempFolder folder;
  SECTION("all") {
    CHECK(write_study(folder.path(), "a")
              ->artifacts()
              .collect({.best = 0, .last = 0, .rungs = false, .all = true})
              .files == 0);
    CHECK(find_given_up(folder.path(), "a", {.best = 0, .last = 0, .rungs = false, .all = true}).files.empty());
  }
  SECTION("epochs hold the file that another role gives up") {
    auto store = write_study(folder.path(), "a", true);
    const KeepPolicy nothing{.best = 0, .last = 0, .rungs = false};
    CHECK(store->artifacts().collect(nothing).files == 3);  // `best` of each trial
    CHECK(is_there(folder.path(), "last 00"));
    CHECK(store->artifacts().collect({.best = 0, .last = 0, .rungs = false, .epochs = false}).files == 6);
  }
}

TEST_CASE("where no trial completed, the best of the pruned keep everything", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a", false, trial::TrialState::pruned);
  const KeepPolicy one{.best = 1, .last = 0, .rungs = false};
  CHECK(store->artifacts().collect(one).files == 2 * 3);
  for (const char* content : {"best 2", "last 20", "last 21"}) CHECK(is_there(folder.path(), content));
  store->begin();
  store->change({trial::TrialId(0), trial::TrialState::completed, 0.0, 2, trial::Cause::none, "", 2});
  store->commit(Durability::normal);
  CHECK(store->artifacts().collect(one).files == 3);  // one has: the others are pruned again
}

TEST_CASE("the best trials keep everything, the others what the policy says", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a");
  SECTION("their newest checkpoint") {
    CHECK(store->artifacts().collect({.best = 1, .last = 1, .rungs = false}).files == 4);
    CHECK_FALSE(is_there(folder.path(), "last 00"));
    CHECK(is_there(folder.path(), "last 01"));
    CHECK_FALSE(is_there(folder.path(), "best 0"));
    CHECK(is_there(folder.path(), "last 20"));
    CHECK(is_there(folder.path(), "best 2"));
  }
  SECTION("rungs as well") {
    CHECK(store->artifacts().collect({.best = 1, .last = 1, .rungs = true}).files == 2);
    CHECK(is_there(folder.path(), "last 00"));
  }
  SECTION("nothing at all") { CHECK(store->artifacts().collect({.best = 0, .last = 0, .rungs = false}).files == 9); }
  SECTION("a second time there is nothing to do") {
    store->artifacts().collect({.best = 1});
    CHECK(store->artifacts().collect({.best = 1}).files == 0);
  }
}

TEST_CASE("a member keeps its newest results of examples", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a");
  store->begin();
  for (int piece = 0; piece < 2; ++piece) {
    trial::PieceResult r = support::result_of(0, 0);
    r.key.piece = piece + 2;
    r.artifacts = {artifact(folder.path(), "examples", "examples " + std::to_string(piece), piece + 1)};
    store->attempts().start({r.key, 1, 0});
    store->add(study::Event(study::PieceEnded{r}));
  }
  store->commit(Durability::normal);
  store->artifacts().collect({.best = 1});
  CHECK_FALSE(is_there(folder.path(), "examples 0"));
  CHECK(is_there(folder.path(), "examples 1"));
  store->artifacts().collect({.best = 1, .last = 0});
  CHECK_FALSE(is_there(folder.path(), "examples 1"));
}

TEST_CASE("trials that may go on keep everything", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a");
  store->begin();
  store->change({trial::TrialId(0), trial::TrialState::paused, 0.0, 1});
  store->commit(Durability::normal);
  store->artifacts().collect({.best = 0, .last = 0, .rungs = false});
  CHECK(is_there(folder.path(), "last 00"));
  CHECK_FALSE(is_there(folder.path(), "last 10"));
}

TEST_CASE("what another study refers to stays", "[storage][retention]") {
  const TempFolder folder;
  auto a = write_study(folder.path(), "a");
  auto b = write_study(folder.path(), "b");
  SECTION("while it is being written nothing is deleted") {
    const Collected none = a->artifacts().collect({.best = 0, .last = 0, .rungs = false});
    CHECK(none.files == 0);
    REQUIRE(none.hindrance);
    CHECK_THAT(none.hindrance->why, Contains("study 'b' is being written by process"));
    CHECK_FALSE(none.hindrance->fault);
  }
  SECTION("where it cannot be read nothing is deleted") {
    b->close();
    b.reset();
    write_file(study_file(folder.path(), "b", ".db"), "no study");
    const auto hindrance = a->artifacts().collect({.best = 0, .last = 0, .rungs = false}).hindrance;
    REQUIRE(hindrance);
    CHECK_THAT(hindrance->why, Contains("study 'b' cannot be read: "));
    CHECK(hindrance->fault == ErrorKind::store);
    a->close();
    a.reset();
    CHECK(collect_garbage(folder.path(), 0).hindrance);
    CHECK(find_garbage(folder.path(), 0).hindrance);
    CHECK(find_given_up(folder.path(), "a", {}).hindrance);
  }
  SECTION("afterwards its references count") {
    b->close();
    b.reset();
    CHECK(a->artifacts().collect({.best = 0, .last = 0, .rungs = false}).files == 0);
  }
  SECTION("once it has given them up, they go") {
    a->artifacts().collect({.best = 0, .last = 0, .rungs = false});
    a->close();
    a.reset();
    CHECK(b->artifacts().collect({.best = 0, .last = 0, .rungs = false}).files == 9);
  }
}

// An import had put the same files in place and its study was not there yet: they were deleted.
TEST_CASE("files stay while others are moved into the store", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a");
  {
    const WriterLock lock = lock_artifacts(folder.path());
    const Collected none = store->artifacts().collect({.best = 0, .last = 0, .rungs = false});
    CHECK(none.files == 0);
    CHECK(none.hindrance);
    CHECK(is_there(folder.path(), "last 00"));
  }
  store->close();
  store.reset();
  CHECK(collect_garbage(folder.path(), 0).files == 9);
}

TEST_CASE("a removed study leaves nothing but artifacts, which the garbage collection takes", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a");
  CHECK_THROWS_AS(remove_study(folder.path(), "a"), Error);  // a driver holds it
  store->close();
  store.reset();
  CHECK(collect_garbage(folder.path(), 0).files == 0);
  remove_study(folder.path(), "a");
  CHECK(Store::names(folder.path()).empty());
  CHECK(std::filesystem::is_empty(folder / "studies"));
  CHECK_THROWS_AS(remove_study(folder.path(), "a"), Error);
  CHECK(collect_garbage(folder.path(), 3600).files == 0);  // too young
  CHECK(collect_garbage(folder.path(), 0).files == 9);
}

// The attempts' folder of a study x.db is the database of x: it was deleted with x.db.
TEST_CASE("a removed study takes nothing of a study with a similar name along", "[storage][retention]") {
  const TempFolder folder;
  for (const char* name : {"a", "b"}) write_study(folder.path(), name)->close();
  std::filesystem::rename(folder / "studies" / "b.db", folder / "studies" / "a.db.db");  // as an earlier dlrun made it
  const auto log = folder / "studies" / "a.db.v1" / "trials" / "0" / "p0.a1" / "stdout.log";
  make_folders(log.parent_path());
  write_file(log, "of a study a.db.v1");
  remove_study(folder.path(), "a.db");
  CHECK(Store::names(folder.path()) == std::vector<std::string>{"a"});
  remove_study(folder.path(), "a");
  CHECK(std::filesystem::exists(log));
}

// SQLite read the old WAL as rows of the new study, and the old head said that rows were lost.
TEST_CASE("files that a killed deletion left are no part of the next study of that name", "[storage][retention]") {
  const TempFolder folder, aside;
  const std::vector<std::string> left = {"a.db-wal", "a.head"};
  auto store = write_study(folder.path(), "a");
  store->begin();
  store->note(std::nullopt, "of the old study");
  store->commit(Durability::full);  // with a head
  for (const std::string& name : left) std::filesystem::copy_file(folder / "studies" / name, aside / name);
  const auto archived = aside / "other.db";
  store->close();
  store.reset();
  copy_study(folder.path(), "a", archived);
  const auto is_as = [&](std::int64_t trials) {
    const auto database = open_for_reading(study_file(folder.path(), "a", ".db"));
    CHECK(database->integer("SELECT count(*) FROM dl_trial") == trials);
    CHECK(verify_study(folder.path(), "a", false).faults.empty());
    CHECK(Store::open(folder.path(), "a", {})->warnings().empty());
  };
  const auto delete_halfway = [&] {
    remove_study(folder.path(), "a");
    for (const std::string& name : left) std::filesystem::copy_file(aside / name, folder / "studies" / name);
  };
  delete_halfway();
  SECTION("that is begun") {
    Store::create(folder.path(), support::sample_row("a"), {})->close();
    is_as(0);
  }
  SECTION("that is taken in") {
    take_in(archived, folder.path(), "a");
    is_as(3);
  }
}

TEST_CASE("no new study can have the name of another one's files", "[storage][retention]") {
  const TempFolder folder;
  const std::string name = GENERATE(as<std::string>{}, "a.db", "a.db-wal", "a.db.v12", "a.db.new", "a.lock", "a.head",
                                    "a.endpoint", "a.key");
  CHECK_THROWS_WITH(Store::create(folder.path(), support::sample_row(name), {}),
                    Catch::Matchers::Contains("'" + name + "' ends as"));
  for (const char* good : {"a.db.v", "a.v1", "a.db.v1x", "db", "key", "a.database"})
    CHECK_NOTHROW(require_new_name(good));
}

TEST_CASE("a folder is no study", "[storage][retention]") {
  const TempFolder folder;
  make_folders(folder / "studies" / "a.db" / "trials");
  CHECK(Store::names(folder.path()).empty());
}

TEST_CASE("what an heir begins with is held from its decision on", "[storage][retention]") {
  const TempFolder folder;
  auto store = write_study(folder.path(), "a");
  study::Decision start = support::start_of(3);
  start.donor = trial::PieceKey{{trial::TrialId(1)}, 0};
  store->begin();
  store->add(start);
  store->commit(Durability::normal);
  const KeepPolicy nothing{.best = 0, .last = 0, .rungs = false};
  store->artifacts().collect(nothing);
  CHECK(is_there(folder.path(), "last 10"));  // no attempt of the heir has started yet
  CHECK_FALSE(is_there(folder.path(), "last 11"));
  CHECK_FALSE(is_there(folder.path(), "last 00"));
  const auto end_heir = [&](trial::TrialState state) {
    store->begin();
    store->change({trial::TrialId(3), state, {}, 0, trial::Cause::none, "", 0});
    store->commit(Durability::normal);
    store->artifacts().collect(nothing);
  };
  end_heir(trial::TrialState::failed);  // it may be tried again
  CHECK(is_there(folder.path(), "last 10"));
  end_heir(trial::TrialState::completed);
  CHECK_FALSE(is_there(folder.path(), "last 10"));
}

TEST_CASE("donors of a study's weights stay when their own study is deleted", "[storage][retention]") {
  const TempFolder folder;
  write_study(folder.path(), "a")->close();
  storage::StudyRow heir = support::sample_row("heir");
  const auto donor = [](const std::string& content) {
    return Json{{"study", "a"}, {"sha256", Sha256::hex_of(content)}};
  };
  heir.spec["trial"]["warm_start"]["donors"] = {donor("last 01"), donor("last 11")};
  Store::create(folder.path(), heir, {})->close();  // nothing has begun with them yet
  remove_study(folder.path(), "a");
  CHECK(collect_garbage(folder.path(), 0).files == 7);
  CHECK(is_there(folder.path(), "last 01"));
  CHECK(is_there(folder.path(), "last 11"));
  CHECK_FALSE(is_there(folder.path(), "last 21"));
}

// The artifact was deleted: a study that began with it could neither go on nor be reproduced.
TEST_CASE("an artifact that a study's init: names stays when its own study is deleted", "[storage][retention]") {
  const TempFolder folder;
  write_study(folder.path(), "a")->close();
  storage::StudyRow heir = support::sample_row("heir");
  const auto init = [&](const std::string& content) {
    return Json{
        {"from", file_of(folder.path(), content).string()}, {"sha256", Sha256::hex_of(content)}, {"strict", true}};
  };
  heir.spec["trial"]["init"] = init("last 01");
  const Json edit{{"init", init("last 11")}};
  heir.spec["space"] = Json::array({Json{{"name", "start"}, {"edits", Json::array({nullptr, edit})}}});
  heir.spec["derived"]["data"] = {{"sha256", Sha256::hex_of("last 21")}};  // no weights
  Store::create(folder.path(), heir, {})->close();
  remove_study(folder.path(), "a");
  CHECK(collect_garbage(folder.path(), 0).files == 7);
  CHECK(is_there(folder.path(), "last 01"));
  CHECK(is_there(folder.path(), "last 11"));
}

TEST_CASE("what would be given up is what is given up", "[storage][retention]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "a");
  const KeepPolicy keep{.best = 1, .last = 1, .rungs = false};
  const std::vector<Doomed> doomed = find_given_up(folder.path(), "a", keep).files;
  REQUIRE(doomed.size() == 4);
  for (const Doomed& one : doomed) {
    CHECK(std::filesystem::exists(folder.path() / "artifacts" / one.file));
    CHECK(one.bytes == std::int64_t(std::filesystem::file_size(folder.path() / "artifacts" / one.file)));
    CHECK(one.reason.rfind("trial ", 0) == 0);
  }
  CHECK(store->artifacts().collect(keep).files == 4);
  for (const Doomed& one : doomed) CHECK_FALSE(std::filesystem::exists(folder.path() / "artifacts" / one.file));
  CHECK(find_given_up(folder.path(), "a", keep).files.empty());
}

// Nothing was said of checkpoints whose files another study keeps, and they could be used no more.
TEST_CASE("checkpoints are given up though another study keeps their files", "[storage][retention]") {
  const TempFolder folder;
  const auto store = write_study(folder.path(), "a");
  write_study(folder.path(), "b")->close();
  const KeepPolicy keep{.best = 1, .last = 0, .rungs = false};
  CHECK(find_given_up(folder.path(), "a", keep).files.empty());
  const GivenUp lost = lost_by(folder.path(), "a", keep);
  CHECK(lost.checkpoints == 6);
  CHECK(lost.trials == std::vector<std::int64_t>{0, 1});
  CHECK(store->artifacts().collect(keep).files == 0);
  CHECK(store->artifacts().kept(keep).size() == 3);
  CHECK(lost_by(folder.path(), "a", keep).checkpoints == 0);
}

TEST_CASE("files that no study refers to are found before they are deleted", "[storage][retention]") {
  const TempFolder folder;
  write_study(folder.path(), "a")->close();
  CHECK(find_garbage(folder.path(), 0).files.empty());
  remove_study(folder.path(), "a");
  CHECK(find_garbage(folder.path(), 3600).files.empty());  // too young
  CHECK(find_garbage(folder.path(), 0).files.size() == 9);
  CHECK(collect_garbage(folder.path(), 0).files == 9);
  CHECK(collect_garbage(folder / "none", 0).files == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace retention_test
