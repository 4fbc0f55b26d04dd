// SPDX-License-Identifier: Apache-2.0
// Which checkpoints may give weights, in which order, and what is said of the others.
#include "final/donors.hpp"

#include "unit/final/searched.hpp"

namespace final_test {

using final::keep_alike;
using final::rank_donors;
using final::RankedDonors;
using final::Reading;

namespace {

std::vector<std::int64_t> trials_of(const RankedDonors& ranked) {
  std::vector<std::int64_t> trials;
  for (const warmstart::Donor& donor : ranked.donors) trials.push_back(donor.trial);
  return trials;
}

}  // namespace

TEST_CASE("donors are ranked by what was measured at their checkpoint, ties by number", "[final][donors]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  const double values[] = {0.5, 0.9, 0.9, 0.1};
  for (int i = 0; i < 4; ++i) write_trial(*store, i, values[i], {artifact(folder.path(), checkpoint(2, float(i)))});
  CHECK(trials_of(rank_donors(folder.path(), "search", {.metric = "val.accuracy"})) ==
        std::vector<std::int64_t>{1, 2, 0, 3});
  const RankedDonors lowest = rank_donors(folder.path(), "search", {.metric = "val.accuracy", .maximize = false});
  CHECK(trials_of(lowest) == std::vector<std::int64_t>{3, 0, 1, 2});
  CHECK(lowest.donors.front().value == 0.1);
  CHECK(lowest.donors.front().epoch == 1);
  CHECK(lowest.refused.empty());
}

TEST_CASE("a metric may have any name", "[final][donors]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  const std::string name = "it's \"so\" -- ' or 1 = 1";
  write_trial(*store, 0, 0.5, {artifact(folder.path(), checkpoint(2, 0))}, name);
  CHECK(trials_of(rank_donors(folder.path(), "search", {.metric = name})) == std::vector<std::int64_t>{0});
  CHECK(rank_donors(folder.path(), "search", {.metric = "' or 1 = 1 or '"}).donors.empty());
}

TEST_CASE("what gives no weights says why", "[final][donors]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  write_trial(*store, 0, 0.5, {artifact(folder.path(), checkpoint(2, 0), 1, "best")});
  write_trial(*store, 1, 0.6, {artifact(folder.path(), checkpoint(2, 1), 2)});
  write_trial(*store, 2, 0.7, {artifact(folder.path(), checkpoint(2, 2))});
  store->artifacts().collect({.best = 0, .last = 0, .rungs = false});
  const RankedDonors ranked = rank_donors(folder.path(), "search", {.metric = "val.accuracy"});
  CHECK(ranked.donors.empty());
  REQUIRE(ranked.refused.size() == 3);
  CHECK(ranked.refused[0].reason == "no such checkpoint");
  CHECK(ranked.refused[1].reason == "val.accuracy was not measured after epoch 2");
  CHECK(ranked.refused[2].reason == "its checkpoint was given up (`keep:` says whose stay)");
  CHECK(ranked.refused[2].value == 0.7);
  const RankedDonors by_epoch = rank_donors(folder.path(), "search", {.metric = "val.accuracy", .epoch = 7});
  CHECK(by_epoch.refused[0].reason == "no checkpoint after epoch 7 (`keep: {epochs: [7]}` of the search keeps one)");
}

TEST_CASE("a trial that may not be called the best gives no weights", "[final][donors]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  for (int i = 0; i < 4; ++i) write_trial(*store, i, 0.9 - 0.1 * i, {artifact(folder.path(), checkpoint(2, float(i)))});
  settle(*store, {.trial = trial::TrialId(0), .state = trial::TrialState::failed, .objective = {}, .message = ""});
  settle(*store, {.trial = trial::TrialId(1),
                  .state = trial::TrialState::completed,
                  .objective = 0.8,
                  .steps = 1,
                  .message = "",
                  .further = {},
                  .violation = 0.2});
  settle(
      *store,
      {.trial = trial::TrialId(2), .state = trial::TrialState::cancelled, .objective = 0.7, .steps = 1, .message = ""});
  const RankedDonors ranked = rank_donors(folder.path(), "search", {.metric = "val.accuracy"});
  CHECK(trials_of(ranked) == std::vector<std::int64_t>{3});
  REQUIRE(ranked.refused.size() == 3);
  CHECK(ranked.refused[0].reason == "it failed");
  CHECK(ranked.refused[1].reason == "it is infeasible");
  CHECK(ranked.refused[2].reason == "it was cancelled");
}

TEST_CASE("a donor with folds gives the checkpoint of each, and is ranked by their mean", "[final][donors]") {
  const support::TempFolder folder;
  storage::StudyRow row = search_row();
  row.spec["trial"]["folds"] = 2;
  const auto store = storage::Store::create(folder.path(), row, line());
  const double values[][2] = {{0.9, 0.3}, {0.6, 0.8}};
  for (int i = 0; i < 2; ++i) {
    for (int fold = 0; fold < 2; ++fold)
      write_fold(*store, {i, fold}, values[i][fold], artifact(folder.path(), checkpoint(2, float(2 * i + fold))));
  }
  write_fold(*store, {2, 0}, 1, artifact(folder.path(), checkpoint(2, 9)));
  const RankedDonors ranked = rank_donors(folder.path(), "search", {.metric = "val.accuracy"});
  CHECK(trials_of(ranked) == std::vector<std::int64_t>{1, 0});
  const warmstart::Donor& best = ranked.donors.front();
  CHECK(best.value == Approx(0.7));
  REQUIRE(best.folds.size() == 2);
  CHECK(best.sha256 == best.folds[0].sha256);
  CHECK(best.folds[1].sha256 == Sha256::hex_of(checkpoint(2, 3)));
  const Json start = warmstart::start_of_fold({{"donors", {final::to_json(best)}}}, 1);
  CHECK(start["donors"][0]["sha256"] == best.folds[1].sha256);
  CHECK(start["donors"][0]["value"] == 0.8);
  CHECK(start["donors"][0]["fold"] == 1);
  CHECK_FALSE(start["donors"][0].contains("folds"));
  REQUIRE(ranked.refused.size() == 1);
  CHECK(ranked.refused[0].reason == "not every fold left a checkpoint");
}

TEST_CASE("a donor whose file is gone is an error, for the next best is another training", "[final][donors]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  const trial::Artifact left = artifact(folder.path(), checkpoint(2, 0));
  write_trial(*store, 0, 0.5, {left});
  std::filesystem::remove(storage::checkpoint_file(folder.path(), left.sha256));
  try {
    (void)rank_donors(folder.path(), "search", {.metric = "val.accuracy"});
    FAIL("nothing was thrown");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::store);
    CHECK_THAT(fault.what(), Contains("is missing: it is the checkpoint of trial search/0 at epoch 1"));
    CHECK_THAT(fault.hint(), Contains("dlrun reproduce search/0 --restore"));
  }
}

TEST_CASE("only donors with the tensors of the first one stay", "[final][donors]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  for (int i = 0; i < 4; ++i)
    write_trial(*store, i, 0.9 - 0.1 * i, {artifact(folder.path(), checkpoint(i == 1 ? 3 : 2, float(i)))});
  RankedDonors ranked = rank_donors(folder.path(), "search", {.metric = "val.accuracy"});
  keep_alike(folder.path(), ranked, 2);
  CHECK(trials_of(ranked) == std::vector<std::int64_t>{0, 2});
  CHECK(ranked.donors.front().horizon == 3);
  REQUIRE(ranked.refused.size() == 1);
  CHECK(ranked.refused.front().trial == 1);
  CHECK(ranked.refused.front().reason == "its tensors have other names or shapes");
}

}  // namespace final_test
