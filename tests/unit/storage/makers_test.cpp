// SPDX-License-Identifier: Apache-2.0
// The piece that made an artifact, what it went on from, and how far a checkpoint is.
#include "storage/recorded_trial.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace makers_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

/// Pieces 0 and 1 of trials 0 and 1, of the epochs 0 to 2 and 2 to 5: each leaves `last-TRIAL-PIECE`, and the second
/// one `best` with the bytes of all trials alike.
std::unique_ptr<Store> write_study(const std::filesystem::path& folder) {
  auto store = Store::create(folder, support::sample_row(), {});
  store->begin();
  store->opening().worker(3, 1, "here", "running");
  store->opening().runtime(3, {.numerics = "avx2"});
  for (std::int64_t t = 0; t < 2; ++t) {
    for (int piece = 0; piece < 2; ++piece) {
      study::Decision made = support::start_of(t);
      made.number = t * 2 + piece;
      made.kind = piece == 0 ? study::DecisionKind::start : study::DecisionKind::go_on;
      made.key.piece = piece;
      made.from_step = piece * 2;
      made.to_step = 2 + piece * 3;
      store->add(made);
      store->attempts().start({made.key, 1, 3});
      trial::PieceResult r = support::result_of(t, 0.5);
      r.key.piece = piece;
      const std::string last = "last-" + std::to_string(t) + "-" + std::to_string(piece);
      r.artifacts = {{"last", last, 10 + piece, made.to_step}};
      if (piece == 1) r.artifacts.push_back({"best", "best", 7, 3});
      store->add(study::Event(study::PieceEnded{r}));
    }
  }
  store->commit(Durability::normal);
  return store;
}

}  // namespace

TEST_CASE("an artifact's maker is the earliest piece of the first trial that has it", "[storage][makers]") {
  const TempFolder folder;
  const auto store = write_study(folder.path());
  const auto last = store->artifacts().maker_of("last-1-1");
  REQUIRE(last);
  CHECK(last->key == support::piece_of(1, 1));
  CHECK(last->attempt == 1);
  CHECK(last->from_step == 2);
  CHECK(last->to_step == 5);
  CHECK(last->resume == "last-1-0");
  CHECK(last->role == "last");
  CHECK(last->step == 5);
  CHECK(last->numerics == "avx2");
  const auto best = store->artifacts().maker_of("best");
  REQUIRE(best);
  CHECK(best->key == support::piece_of(0, 1));
  CHECK(best->role == "best");
  CHECK(best->step == 3);
  CHECK(store->artifacts().maker_of("last-0-0")->resume.empty());
  CHECK_FALSE(store->artifacts().maker_of("another"));
}

TEST_CASE("epochs behind a checkpoint are those of its member", "[storage][makers]") {
  const TempFolder folder;
  const auto store = write_study(folder.path());
  const trial::Member first = support::piece_of(0).member, second = support::piece_of(1).member;
  CHECK(store->artifacts().step_of("last-0-0", first) == 2);
  CHECK(store->artifacts().step_of("last-0-1", first) == 5);
  CHECK(store->artifacts().step_of("best", second) == 3);
  CHECK_FALSE(store->artifacts().step_of("last-0-1", second));
  CHECK_FALSE(store->artifacts().step_of("another", first));
  CHECK(store->artifacts().last_of(first) == "last-0-1");
  CHECK(store->artifacts().last_of(support::piece_of(2).member).empty());
  CHECK(store->artifacts().bytes_of("last-0-1") == 11);
  CHECK(store->artifacts().bytes_of("best") == 7);
  CHECK_FALSE(store->artifacts().bytes_of("another"));
}

TEST_CASE("a trial's record names where it was made", "[storage][recorded]") {
  const TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  store->begin();
  Environment made{.version = "1.2.3", .host = "node7", .os = "Debian", .device = "a GPU", .git_revision = "abc"};
  made.data_sha256 = "a hash";
  made.git_dirty = true;
  made.cores = 16;
  store->opening().environment(made);
  store->opening().worker(1, 1, "here", "running");
  store->commit(Durability::normal);
  support::write_trial(*store, 1, 0.5);
  const RecordedTrial trial = read_recorded(folder.path(), "sample", trial::TrialId(1), {});
  CHECK(trial.state == trial::TrialState::completed);
  REQUIRE(trial.pieces.size() == 1);
  const Environment& found = trial.pieces[0].environment;
  CHECK((found.version == "1.2.3" && found.host == "node7" && found.os == "Debian" && found.device == "a GPU"));
  CHECK((found.git_revision == "abc" && found.git_dirty && found.data_sha256 == "a hash" && found.cores == 16));
  REQUIRE(trial.metrics.size() == 1);
  CHECK(trial.metrics[0].metric == "val.accuracy");
  CHECK(trial.metrics[0].value == 0.5);
}

}  // namespace makers_test
