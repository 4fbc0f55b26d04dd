// SPDX-License-Identifier: Apache-2.0
// Tables about a study that a Store really wrote.
#include "report/report.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "report/readable.hpp"
#include "report/trial_reader.hpp"
#include "storage/paths.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace reader_test {

using namespace dlrun;
using report::Reader;
using report::Table;
using report::TrialReader;
using support::TempFolder;

namespace {

space::Space sample_space() {
  space::Parameter lr{.name = "lr", .at = "optimizer.lr", .low = 1e-4, .high = 1, .log = true};
  space::Parameter width{.name = "width", .type = space::Type::integer, .low = 1, .high = 9, .step = 2};
  space::Parameter opt{.name = "opt", .at = "optimizer.op", .type = space::Type::categorical};
  opt.choices = {"sgd", "adam", true};
  return space::Space({lr, width, opt});
}

space::Values values_of(std::int64_t trial) {
  return {0.001 * double(trial + 1), trial % 5 * 2 + 1, space::Choice{std::uint32_t(trial % 3)}};
}

double objective_of(std::int64_t trial) { return double(trial * 7 % 10) / 10; }

/// Ten trials, trial n measured n*7 % 10 / 10: trial 7 is the best with 0.9.
std::unique_ptr<storage::Store> write_sample(const std::filesystem::path& folder, const std::string& name = "sample",
                                             const char* direction = "maximize") {
  storage::StudyRow row = support::sample_row(name);
  row.spec["objective"]["direction"] = direction;
  auto store = storage::Store::create(folder, row, sample_space());
  store->study_state("running", "");
  for (std::int64_t i = 0; i < 10; ++i) support::write_trial(*store, i, objective_of(i), values_of(i));
  return store;
}

Json at(const Table& table, std::size_t row, const std::string& column) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), column);
  REQUIRE(place != table.columns.end());
  REQUIRE(row < table.rows.size());
  return table.rows[row][std::size_t(place - table.columns.begin())];
}

Json fact(const Table& table, const std::string& name) {
  for (const auto& row : table.rows) {
    if (row[0] == name) return row[1];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the best trials come first, with their parameters", "[report]") {
  const TempFolder folder;
  const auto store = write_sample(folder.path());  // still open: a reader does not wait for the driver
  const Table best = Reader(folder.path(), {}).best(3);
  REQUIRE(best.rows.size() == 3);
  CHECK(best.title == "best trials by val.accuracy, highest first");
  CHECK(at(best, 0, "trial") == 7);
  CHECK(at(best, 0, "objective") == 0.9);
  CHECK(at(best, 0, "lr") == 0.008);
  CHECK(at(best, 0, "width") == 5);
  CHECK(at(best, 0, "opt") == "adam");
  CHECK(at(best, 1, "trial") == 4);
  CHECK(at(best, 2, "trial") == 1);
}

TEST_CASE("the best trial shows what it reached on the test split", "[report]") {
  const TempFolder folder;
  const auto store = write_sample(folder.path());
  store->begin();
  store->add(study::Event(study::TestMeasured{{.key = support::piece_of(7, 1'000'000),
                                               .attempt = 1,
                                               .reports = {{1, {{"test.accuracy", 0.85}, {"test.loss", 0.4}}}}}}));
  store->commit(storage::Durability::normal);
  const Table best = Reader(folder.path(), {}).best(2);
  CHECK(at(best, 0, "test.accuracy") == 0.85);
  CHECK(at(best, 1, "test.accuracy").is_null());
}

TEST_CASE("a test value is none where a member's is no number", "[report]") {
  const TempFolder folder;
  const auto store = write_sample(folder.path());
  store->begin();
  for (const int replicate : {0, 1}) {
    trial::PieceKey key = support::piece_of(7, 1'000'000);
    key.member.replicate = replicate;
    const double value = replicate == 0 ? 0.85 : std::numeric_limits<double>::quiet_NaN();
    store->add(
        study::Event(study::TestMeasured{{.key = key, .attempt = 1, .reports = {{1, {{"test.accuracy", value}}}}}}));
  }
  store->commit(storage::Durability::normal);
  CHECK(at(Reader(folder.path(), {}).best(1), 0, "test.accuracy").is_null());
}

TEST_CASE("while no trial has completed, the best of those under way are shown", "[report]") {
  const TempFolder folder;
  auto store = storage::Store::create(folder.path(), support::sample_row(), sample_space());
  for (std::int64_t i = 0; i < 10; ++i) support::write_trial(*store, i, objective_of(i), values_of(i));
  store->begin();
  for (std::int64_t i = 0; i < 10; ++i) {
    const auto state = i == 7 ? trial::TrialState::failed : trial::TrialState::pruned;
    store->change({trial::TrialId(i), state, objective_of(i), 1, trial::Cause::none, "", 1});
  }
  store->commit(storage::Durability::normal);
  const Table best = Reader(folder.path(), {}).best(3);
  CHECK(best.title == "best trials by val.accuracy, highest first (none has completed)");
  CHECK(at(best, 0, "trial") == 4);
  CHECK(at(Reader(folder.path(), {}).status(), 0, "best_trial") == 4);
}

TEST_CASE("the status counts trials by state", "[report]") {
  const TempFolder folder;
  auto store = write_sample(folder.path());
  store->begin();
  store->add(support::start_of(10, values_of(10)));
  store->commit(storage::Durability::normal);
  const Table live = Reader(folder.path(), {}).status();
  CHECK(at(live, 0, "state") == "running");
  CHECK(at(live, 0, "completed") == 10);
  CHECK(at(live, 0, "waiting") == 1);
  CHECK(at(live, 0, "best") == 0.9);
  store.reset();
  CHECK(at(Reader(folder.path(), {}).status(), 0, "state") == "interrupted");
}

TEST_CASE("progress lists every trial better than all before it", "[report]") {
  const TempFolder folder;
  write_sample(folder.path());
  const Table progress = Reader(folder.path(), {"sample"}).progress();
  REQUIRE(progress.rows.size() == 4);  // 0, 0.7, 0.8 (trial 4), 0.9 (trial 7)
  CHECK(at(progress, 1, "trial") == 1);
  CHECK(at(progress, 2, "trial") == 4);
  CHECK(at(progress, 3, "objective") == 0.9);
  CHECK(at(progress, 3, "completed") == 8);
}

TEST_CASE("parameters show their domain and the best trial's value", "[report]") {
  const TempFolder folder;
  write_sample(folder.path());
  const Table table = Reader(folder.path(), {}).parameters();
  REQUIRE(table.rows.size() == 3);
  CHECK(at(table, 0, "domain") == "0.0001 … 1, log");
  CHECK(at(table, 1, "domain") == "1 … 9, step 2");
  CHECK(at(table, 2, "domain") == "sgd | adam | true");
  CHECK(at(table, 2, "best") == "adam");
  CHECK(at(table, 0, "correlation").get<double>() == Approx(0.2727273).margin(1e-6));
  CHECK(at(table, 2, "correlation").is_null());
  // ranks of lr: 1..10; of the objective: 1 8 5 2 9 6 3 10 7 4; sum of d^2 = 120; 1 - 6*120/990
}

TEST_CASE("a choice that an amendment gave up is none of the domain", "[report]") {
  const TempFolder folder;
  storage::StudyRow row = support::sample_row();
  row.spec["constraints"] =
      Json::array({{{"forbid", {{"opt", {"adam"}}}}}, {{"forbid", {{"opt", {"sgd"}}, {"width", {1}}}}}});
  const auto store = storage::Store::create(folder.path(), row, sample_space());
  CHECK(at(Reader(folder.path(), {}).parameters(), 2, "domain") == "sgd | true");
}

TEST_CASE("a trial's facts, details and configuration", "[report]") {
  const TempFolder folder;
  const auto store = write_sample(folder.path());
  const TrialReader reader(folder.path(), {"", 2});
  const Table facts = reader.facts();
  CHECK(fact(facts, "state") == "completed");
  CHECK(fact(facts, "objective") == 0.4);
  CHECK(fact(facts, "attempts") == 1);
  CHECK(fact(facts, "seconds") == 0.25);
  CHECK(fact(facts, "param opt") == true);
  CHECK(reader.config() == Json({{"kind", "function"}, {"optimizer", {{"lr", 0.003}, {"op", true}}}}));
  const std::vector<Table> details = reader.details();
  CHECK(details.at(0).rows.size() == 1);
  CHECK(at(details.at(1), 0, "val.accuracy") == 0.4);
  CHECK(at(details.at(4), 0, "end") == 3000);
  CHECK_THROWS_WITH(TrialReader(folder.path(), {"sample", 10}).facts(), "study 'sample' has no trial 10");
  CHECK_THROWS_WITH(TrialReader(folder.path(), {"simple", 2}), Contains("there is no study 'simple'"));
}

TEST_CASE("a failed trial shows the last lines of its log", "[report]") {
  const TempFolder folder;
  const auto store = write_sample(folder.path());
  trial::PieceResult result = support::result_of(10, 0);
  result.outcome = trial::Outcome::failed;
  result.cause = trial::Cause::exception;
  for (int line = 0; line < 30; ++line) result.log_tail += "line " + std::to_string(line) + "\n";
  store->begin();
  store->add(support::start_of(10, values_of(10)));
  store->attempts().start({support::piece_of(10), 1, 0});
  store->add(study::Event(study::PieceEnded{result}));
  store->change({trial::TrialId(10), trial::TrialState::failed, {}, 0, trial::Cause::exception, "failed", 0});
  store->commit(storage::Durability::normal);
  const Table lines = TrialReader(folder.path(), {"", 10}).details().back();
  REQUIRE(lines.rows.size() == 10);
  CHECK(lines.rows[9][0] == "line 29");
  CHECK(TrialReader(folder.path(), {"", 2}).details().back().rows.empty());
}

TEST_CASE("logs are those of the attempts' folders", "[report]") {
  const TempFolder folder;
  const auto store = write_sample(folder.path());
  CHECK(TrialReader(folder.path(), {"", 2}).logs().empty());
  const auto attempt = store->artifacts().attempt_folder(support::piece_of(2), 1);
  make_folders(attempt);
  write_file(attempt / "stderr.log", "hello\n");
  write_file(attempt / "other.txt", "no\n");
  CHECK(TrialReader(folder.path(), {"", 2}).logs() == std::vector<std::filesystem::path>{attempt / "stderr.log"});
}

TEST_CASE("unknown studies get the nearest name, an empty store says what to do", "[report]") {
  const TempFolder folder;
  CHECK_THROWS_WITH(Reader(folder.path(), {}), Contains("there is no study in"));
  CHECK(report::list_studies(folder.path()).table.rows.empty());
  write_sample(folder.path());
  try {
    Reader(folder.path(), {"sampel"});
    FAIL("found a study that is not there");
  } catch (const Error& fault) {
    CHECK(fault.exit_code() == 3);
    CHECK_THAT(fault.hint(), Contains("did you mean 'sample'?"));
  }
}

// The front had two trials, and the tables of how it grew one of them.
TEST_CASE("of trials with equal values on the front all joined it", "[report][pareto]") {
  const TempFolder folder;
  storage::StudyRow row = support::sample_row();
  row.spec["objective"] = Json::array(
      {{{"metric", "a"}, {"direction", "minimize"}}, {{"metric", "b"}, {"direction", "minimize"}, {"reference", 4}}});
  const auto store = storage::Store::create(folder.path(), row, {});
  const std::vector<double> values = {3, 1, 2, 1};
  for (std::int64_t trial = 0; trial < 4; ++trial) {
    const double value = values[std::size_t(trial)];
    support::write_trial(*store, trial, value);
    store->begin();
    store->change({trial::TrialId(trial), trial::TrialState::completed, value, 1, trial::Cause::none, "", 1, {value}});
    store->commit(storage::Durability::normal);
  }
  CHECK(Reader(folder.path(), {}).front().rows.size() == 2);
  const std::vector<std::vector<Json>> grown = {{0, 0.0, 1}, {1, 6.0, 1}, {3, 6.0, 2}};
  CHECK(Reader(folder.path(), {}).hypervolume().rows == grown);
  CHECK(Reader(folder.path(), {}).progress().rows.size() == 3);
}

TEST_CASE("several studies are one table with their names in front", "[report]") {
  const TempFolder folder;
  write_sample(folder.path(), "one");
  write_sample(folder.path(), "two");
  const Table best = Reader(folder.path(), {"one", "two"}).best(1);
  REQUIRE(best.rows.size() == 2);
  CHECK(best.columns[0] == "study");
  CHECK(at(best, 1, "study") == "two");
  CHECK(at(best, 1, "trial") == 7);
  const Table all = report::list_studies(folder.path()).table;
  CHECK(all.rows.size() == 2);
  CHECK(at(Reader(folder.path(), {}).studies(), 0, "study") == "two");
}

// The title was that of the first study: "highest first" stood over losses, lowest first.
TEST_CASE("the title of several studies' table holds for all rows", "[report]") {
  const TempFolder folder;
  write_sample(folder.path(), "one");
  write_sample(folder.path(), "two");
  write_sample(folder.path(), "three", "minimize");
  CHECK(Reader(folder.path(), {"one", "two"}).best(1).title == "best trials by val.accuracy, highest first");
  CHECK(Reader(folder.path(), {"one", "three"}).best(1).title ==
        "one: best trials by val.accuracy, highest first; three: best trials by val.accuracy, lowest first");
  CHECK(Reader(folder.path(), {"one", "three"}).progress().title ==
        "one: progress of val.accuracy, highest first; three: progress of val.accuracy, lowest first");
}

// One damaged file hid all other studies.
TEST_CASE("a study that cannot be read leaves the others to be read", "[report]") {
  const TempFolder folder;
  for (const char* name : {"one", "two", "three"}) write_sample(folder.path(), name);
  write_file(storage::study_file(folder.path(), "two", ".db"), "");
  const report::StudyList list = report::list_studies(folder.path());
  CHECK(list.table.rows.size() == 2);
  REQUIRE(list.faults.size() == 1);
  CHECK_THAT(list.faults[0].what(), Contains("two.db' is no study of dlrun"));
  const report::Readable readable = report::readable_of(folder.path(), {"one", "two", "three"});
  CHECK(readable.studies == std::vector<std::string>{"one", "three"});
  CHECK_THROWS_WITH(report::require_none(readable.faults), Contains("two.db"));
}

TEST_CASE("a reader sees whole transactions while a driver writes", "[report]") {
  const TempFolder folder;
  storage::Store::create(folder.path(), support::sample_row(), sample_space())->close();
  const pid_t driver = ::fork();
  if (driver == 0) {
    const auto store = storage::Store::open(folder.path(), "sample", sample_space());
    for (std::int64_t i = 0;; ++i) support::write_trial(*store, i, 0.5, values_of(i), storage::Durability::full);
  }
  std::int64_t seen = 0;
  while (seen < 50 && ::waitpid(driver, nullptr, WNOHANG) == 0) {
    const Table table = report::sql(folder.path(), {"sample"},
                                    "select (select count(*) from trials where state = 'completed'), "
                                    "(select count(*) from metrics), (select count(*) from events)",
                                    {.seconds = 60});
    const auto trials = table.rows.at(0).at(0).get<std::int64_t>();
    if (trials < seen || table.rows[0][1] != trials || table.rows[0][2] != trials) break;
    seen = trials;
  }
  ::kill(driver, SIGKILL);
  ::waitpid(driver, nullptr, 0);
  CHECK(seen >= 50);
}

TEST_CASE("equal studies export equal bytes, whatever their attempts", "[report][export]") {
  const TempFolder a;
  const TempFolder b;
  write_sample(a.path());
  auto other = storage::Store::create(b.path(), support::sample_row("renamed"), sample_space());
  for (std::int64_t i = 0; i < 10; ++i) {  // every trial loses its first worker after an epoch of telemetry
    const trial::PieceKey key = support::piece_of(i);
    other->begin();
    other->add(support::start_of(i, values_of(i)));
    other->attempts().start({key, 1, 9});
    other->attempts().telemetry(key, 1, {1, {{"val.accuracy", objective_of(i)}}});
    other->add(study::Event(study::AttemptLost{key, 1, trial::Cause::worker_lost, "gone", "tail"}));
    other->attempts().start({key, 2, 8});
    other->add(study::Event(study::PieceEnded{support::result_of(i, objective_of(i), 2)}));
    other->change({trial::TrialId(i), trial::TrialState::completed, objective_of(i), 1, trial::Cause::none, "", 1});
    other->commit(storage::Durability::normal);
  }
  std::ostringstream first;
  std::ostringstream second;
  report::export_logically(a.path(), {}, first);
  report::export_logically(b.path(), {}, second);
  CHECK(first.str() == second.str());
  CHECK_THAT(first.str(), Contains(R"({"measured":[7,0,0,1],"metrics":{"val.accuracy":0.9}})"));
  const std::string lines = first.str();
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 32);  // study, 10 trials, 10 decisions, 10 steps, outcome
  CHECK(fact(TrialReader(b.path(), {"", 3}).facts(), "attempts") == 2);
  CHECK(TrialReader(b.path(), {"", 3}).details().at(3).rows.at(0).at(2) == "retried_after");
}

TEST_CASE("an export has what was committed, and no telemetry", "[report][export]") {
  const TempFolder folder;
  auto store = storage::Store::create(folder.path(), support::sample_row(), sample_space());
  store->begin();
  store->add(support::start_of(0, values_of(0)));
  store->attempts().start({support::piece_of(0), 1, 0});
  store->attempts().telemetry(support::piece_of(0), 1, {1, {{"val.accuracy", 0.25}}});
  store->attempts().telemetry(support::piece_of(0), 1, {2, {{"val.accuracy", 0.5}}});
  store->add(study::Event(study::PieceEnded{support::result_of(0, 0.25)}));  // epoch 1 alone is acknowledged
  store->commit(storage::Durability::normal);
  std::ostringstream out;
  report::export_logically(folder.path(), {}, out);
  CHECK_THAT(out.str(), Contains(R"({"measured":[0,0,0,1],"metrics":{"val.accuracy":0.25}})"));
  CHECK_THAT(out.str(), !Contains(R"("measured":[0,0,0,2])"));
}

TEST_CASE("an export has the checkpoints of attempts that completed", "[report][export]") {
  const TempFolder folder;
  auto store = storage::Store::create(folder.path(), support::sample_row(), sample_space());
  const auto left = [](int attempt, char hash, trial::Outcome outcome) {
    trial::PieceResult result = support::result_of(0, 0.25, attempt);
    result.artifacts = {{"last", std::string(64, hash), 1, 1}};
    result.outcome = outcome;
    return study::Event(study::PieceEnded{result});
  };
  store->begin();
  store->add(support::start_of(0, values_of(0)));
  store->attempts().start({support::piece_of(0), 1, 0});
  store->add(left(1, 'a', trial::Outcome::failed));
  store->attempts().start({support::piece_of(0), 2, 0});
  store->add(left(2, 'b', trial::Outcome::completed));
  store->commit(storage::Durability::normal);
  std::ostringstream out;
  report::export_logically(folder.path(), {}, out);
  CHECK_THAT(out.str(), Contains(std::string(64, 'b')) && !Contains(std::string(64, 'a')));
}

TEST_CASE("the best of equal trials is the first, and the lowest where less is better", "[report]") {
  const bool maximize = GENERATE(false, true);
  const TempFolder folder;
  storage::StudyRow row = support::sample_row();
  row.spec["objective"]["direction"] = maximize ? "maximize" : "minimize";
  auto store = storage::Store::create(folder.path(), row, sample_space());
  const double values[] = {0.5, 0.25, 0.75, 0.25, 0.75};
  for (std::int64_t i = 0; i < 5; ++i) support::write_trial(*store, i, values[i], values_of(i));
  const Table best = Reader(folder.path(), {}).best(5);
  std::vector<int> order;
  for (const auto& line : best.rows) order.push_back(line[0].get<int>());
  CHECK(order == (maximize ? std::vector<int>{2, 4, 0, 1, 3} : std::vector<int>{1, 3, 0, 2, 4}));
  CHECK(at(Reader(folder.path(), {}).status(), 0, "best_trial") == (maximize ? 2 : 1));
  store->begin();
  const auto change = [&](std::int64_t trial, trial::TrialState state) {
    store->change({trial::TrialId(trial), state, values[trial], 1, trial::Cause::none, "", 1});
  };
  for (std::int64_t i = 0; i < 5; ++i) change(i, trial::TrialState::pruned);
  change(maximize ? 2 : 1, trial::TrialState::cancelled);
  store->commit(storage::Durability::normal);
  CHECK(at(Reader(folder.path(), {}).best(5), 0, "trial") == (maximize ? 4 : 3));  // what is cancelled is not
}

}  // namespace reader_test
