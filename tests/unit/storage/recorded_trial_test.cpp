// SPDX-License-Identifier: Apache-2.0
// The record of a trial, by which it is run again, and the trials that made an artifact.
#include "storage/recorded_trial.hpp"

#include <fstream>

#include "storage/owners.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/spaces.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace recorded_trial_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

trial::PieceResult result_of(int piece, int attempt, std::int64_t step, double value) {
  trial::PieceResult result = support::result_of(0, value, attempt);
  result.key.piece = piece;
  result.reports = {{step - 1, {{"val.accuracy", value / 2}, {"val.loss", 1}}}, {step, {{"val.accuracy", value}}}};
  result.artifacts = {{"last", "last" + std::to_string(piece), 12, step}};
  return result;
}

void change(Store& store, trial::TrialState state, double objective, std::int64_t steps) {
  store.begin();
  store.change({trial::TrialId(0), state, objective, steps, trial::Cause::none, "", steps});
  store.commit(Durability::normal);
}

void end(Store& store, trial::PieceResult result) {
  store.begin();
  store.attempts().start({result.key, result.attempt, 2});
  store.add(study::Event(study::PieceEnded{std::move(result)}));
  store.commit(Durability::normal);
}

/// Trial 0 of two pieces, whose first attempt failed.
void write_study(const std::filesystem::path& folder) {
  const auto store = Store::create(folder, support::sample_row(), support::three_kinds());
  store->begin();
  store->opening().worker(2, 1, "here", "running");
  store->opening().runtime(2, {.numerics = "avx2"});
  for (int piece = 0; piece < 2; ++piece) {
    study::Decision made = support::start_of(0, {0.25, std::int64_t{64}, space::Choice{1}});
    made.number = piece;
    if (piece == 1) made.kind = study::DecisionKind::go_on;
    made.key.piece = piece;
    made.from_step = 2 * piece;
    made.to_step = 2 * piece + 2;
    store->add(made);
  }
  store->commit(Durability::normal);
  trial::PieceResult failed = result_of(0, 1, 2, 0.1);
  failed.outcome = trial::Outcome::failed;
  failed.cause = trial::Cause::exception;
  failed.reports.clear();
  end(*store, failed);
  end(*store, result_of(0, 2, 2, 0.5));
  change(*store, trial::TrialState::paused, 0.5, 2);
  end(*store, result_of(1, 1, 4, 0.75));
  change(*store, trial::TrialState::completed, 0.75, 4);
}

}  // namespace

TEST_CASE("a record has the values, pieces, attempts that count, files and metrics of a trial", "[storage][record]") {
  const TempFolder folder;
  write_study(folder.path());
  const RecordedTrial trial = read_recorded(folder.path(), "sample", trial::TrialId(0), support::three_kinds());
  CHECK(trial.state == trial::TrialState::completed);
  CHECK_FALSE(trial.is_heir);
  CHECK(trial.values == space::Values{0.25, std::int64_t{64}, space::Choice{1}});
  REQUIRE(trial.pieces.size() == 2);
  CHECK((trial.pieces[0].attempt == 2 && trial.pieces[0].from_step == 0 && trial.pieces[0].to_step == 2));
  CHECK(trial.pieces[0].state == trial::AttemptState::completed);
  CHECK((trial.pieces[1].attempt == 1 && trial.pieces[1].from_step == 2 && trial.pieces[1].to_step == 4));
  CHECK(trial.pieces[1].key == support::piece_of(0, 1));
  CHECK(trial.pieces[1].runtime.numerics == "avx2");
  CHECK(trial.pieces[1].artifacts == std::vector<trial::Artifact>{{"last", "last1", 12, 4}});
  std::string values;
  for (const RecordedValue& one : trial.metrics)
    values += std::to_string(one.step) + " " + one.metric + " " + std::to_string(one.value).substr(0, 5) + ", ";
  CHECK(values ==
        "1 val.accuracy 0.250, 1 val.loss 1.000, 2 val.accuracy 0.500, 3 val.accuracy 0.375, 3 val.loss 1.000, "
        "4 val.accuracy 0.750, ");
  CHECK_THROWS_AS(read_recorded(folder.path(), "sample", trial::TrialId(1), support::three_kinds()), Error);
  CHECK_THROWS_AS(read_recorded(folder.path(), "other", trial::TrialId(0), support::three_kinds()), Error);
}

TEST_CASE("an artifact has the first trial of the first study that made it", "[storage][owners]") {
  const TempFolder folder;
  for (const char* name : {"b", "a"}) {
    const auto store = Store::create(folder.path(), support::sample_row(name), {});
    store->begin();
    store->add(support::start_of(3));
    store->commit(Durability::normal);
    trial::PieceResult result = support::result_of(3, 0.5);
    result.artifacts = {{"best", "shared", 12, 7}, {"last", std::string("of ") + name, 12, 8}};
    end(*store, result);
  }
  CHECK(owner_of(folder.path(), "shared")->study == "a");
  CHECK(owner_of(folder.path(), "shared")->trial == 3);
  CHECK(owner_of(folder.path(), "shared")->role == "best");
  CHECK(owner_of(folder.path(), "shared")->step == 7);
  CHECK(owner_of(folder.path(), "of b")->study == "b");
  CHECK_FALSE(owner_of(folder.path(), "nobody's"));
  std::ofstream(study_file(folder.path(), "a", ".db")) << "damaged";
  CHECK(owner_of(folder.path(), "shared")->study == "b");
}

}  // namespace recorded_trial_test
