// SPDX-License-Identifier: Apache-2.0
// Which trials of an earlier study a new one learns from.
#include "driver/learning.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace learning_test {

using namespace dlrun;
using trial::TrialState;

namespace {

spec::StudySpec read_study(const std::string& name, const std::string& search, double high = 1) {
  return support::spec_from("study: " + name + "\nsearch: {" + search + R"(}
objective: {metric: value, direction: minimize}
space: {x1: {type: float, low: 0, high: )" +
                            std::to_string(high) + R"(}}
trial: {kind: function, function: sphere, epochs: 4}
)");
}

struct Row {
  TrialState state;
  std::optional<double> objective;
  std::optional<double> violation = {};
  double x = 0.5;
};

/// The earlier study `first`, with these trials, from number 0.
void write_first(const std::filesystem::path& store, const std::vector<Row>& rows) {
  const spec::StudySpec spec = read_study("first", "sampler: random");
  const auto first = storage::Store::create(store, driver::row_of(spec), spec.space);
  first->begin();
  first->opening().worker(0, 1, "here", "running");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const trial::TrialId id{std::int64_t(i)};
    study::Decision made;
    made.number = id.value;
    made.key = {{id}, 0};
    made.to_step = 4;
    made.values = space::Values{rows[i].x};
    first->add(made);
    study::TrialChanged now{id, rows[i].state, rows[i].objective, 3};
    now.violation = rows[i].violation;
    first->change(now);
  }
  first->commit(storage::Durability::normal);
  first->close();
}

driver::Lessons lessons_of(const std::filesystem::path& store, double high = 1) {
  return driver::learn(read_study("second", "sampler: tpe, learn_from: first", high), store);
}

}  // namespace

TEST_CASE("trials that ended with a value or failed for good are learned from", "[driver][learn]") {
  const support::TempFolder store;
  write_first(store.path(), {{TrialState::completed, 0.25},
                             {TrialState::pruned, 0.5},
                             {TrialState::failed, 0.75},
                             {TrialState::running, 1.0},
                             {TrialState::cancelled, 1.5},
                             {TrialState::completed, std::nullopt},
                             {TrialState::completed, 2.0, 0.5},
                             {TrialState::completed, 2.5, 0.0}});
  const driver::Lessons lessons = lessons_of(store.path());
  REQUIRE(lessons.studies.size() == 1);
  const study::Learned& learned = lessons.studies.front();
  CHECK(learned.study == "first");
  REQUIRE(learned.trials.size() == 4);
  const std::vector<std::int64_t> numbers{0, 1, 2, 7};
  const std::vector<std::vector<double>> objectives{{0.25}, {0.5}, {}, {2.5}};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(learned.trials[i].number == numbers[i]);
    CHECK(learned.trials[i].objectives == objectives[i]);
    CHECK(learned.trials[i].steps == 3);
    CHECK(learned.trials[i].is_whole == (numbers[i] != 1));
  }
  CHECK(learned.left_out == std::map<std::string, std::int64_t>{
                                {"cancelled", 1}, {"infeasible", 1}, {"not over", 1}, {"without a value", 1}});
  CHECK(driver::describe(learned) ==
        "4 of 8 trials of 'first' (left out: cancelled: 1; infeasible: 1; not over: 1; without a value: 1)");
}

TEST_CASE("trials outside of the new domain are left out", "[driver][learn]") {
  const support::TempFolder store;
  write_first(store.path(), {{TrialState::completed, 0.25, {}, 0.25}, {TrialState::completed, 0.5, {}, 0.75}});
  const study::Learned learned = lessons_of(store.path(), 0.5).studies.at(0);
  REQUIRE(learned.trials.size() == 1);
  CHECK(learned.trials[0].values == space::Values{0.25});
  CHECK(learned.left_out == std::map<std::string, std::int64_t>{{"'x1' is outside of its domain", 1}});
}

TEST_CASE("a study with other goals cannot be learned from", "[driver][learn]") {
  const support::TempFolder store;
  write_first(store.path(), {{TrialState::completed, 0.25}});
  spec::StudySpec two = read_study("second", "sampler: tpe, learn_from: first");
  two.rules.further = {{.metric = "cost", .maximize = true}};
  CHECK_THROWS_WITH(driver::learn(two, store.path()),
                    Contains("study 'first' was to minimize value, this one is to minimize value and maximize cost"));
}

TEST_CASE("a study that is not there cannot be learned from", "[driver][learn]") {
  const support::TempFolder store;
  CHECK_THROWS_WITH(lessons_of(store.path()), Contains("there is no study 'first'"));
  write_first(store.path(), {{TrialState::completed, 0.25}});
  CHECK(lessons_of(store.path()).studies.at(0).trials.size() == 1);
}

}  // namespace learning_test
