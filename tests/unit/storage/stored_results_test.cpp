// SPDX-License-Identifier: Apache-2.0
// Results of a study as other studies may cite them.
#include "storage/stored_results.hpp"

#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace stored_results_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

/// A study whose worker 2 computes in a numerics class.
std::unique_ptr<Store> with_worker(const std::filesystem::path& folder) {
  auto store = Store::create(folder, support::sample_row(), {});
  store->begin();
  store->opening().worker(2, 1, "here", "running");
  store->opening().runtime(2, {.numerics = "avx2"});
  store->commit(Durability::normal);
  return store;
}

/// A piece of the epochs 3 to 8 by worker 2 that ended so.
void write_piece(Store& store, std::int64_t trial, trial::Outcome outcome, int replicate = 0, int fold = 0) {
  study::Decision made = support::start_of(trial);
  made.key.member.replicate = replicate;
  made.key.member.fold = fold;
  made.from_step = 3;
  made.to_step = 8;
  trial::PieceResult result = support::result_of(trial, 0.25);
  result.key = made.key;
  result.outcome = outcome;
  store.begin();
  store.add(made);
  store.attempts().start({made.key, 1, 2});
  store.add(study::Event(study::PieceEnded{result}));
  store.commit(Durability::normal);
}

}  // namespace

TEST_CASE("results have their epochs and the numerics class of their worker", "[storage][results]") {
  const TempFolder folder;
  const auto store = with_worker(folder.path());
  write_piece(*store, 0, trial::Outcome::completed);
  write_piece(*store, 1, trial::Outcome::failed);
  const auto results = read_results(folder.path(), "sample");
  REQUIRE(results.size() == 1);
  const StoredResult& only = results.at(support::piece_of(0));
  CHECK(only.from_step == 3);
  CHECK(only.to_step == 8);
  CHECK(only.numerics == "avx2");
  CHECK(only.result == support::result_of(0, 0.25));
}

TEST_CASE("results have the replicate and the fold of their member", "[storage][results]") {
  const TempFolder folder;
  const auto store = with_worker(folder.path());
  write_piece(*store, 0, trial::Outcome::completed, 1, 2);
  const auto results = read_results(folder.path(), "sample");
  REQUIRE(results.size() == 1);
  CHECK(results.begin()->first == trial::PieceKey{{trial::TrialId(0), 1, 2}, 0});
}

}  // namespace stored_results_test
