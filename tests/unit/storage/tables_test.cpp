// SPDX-License-Identifier: Apache-2.0
// The tables beside the log: metrics, attempts, edges, artifacts, people's notes.
#include <cmath>
#include <limits>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/program_rows.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace tables_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::piece_of;
using support::TempFolder;

namespace {

/// First row of a query, cells joined by '|' as the sqlite3 shell does.
std::string ask(const std::filesystem::path& folder, const std::string& sql) {
  const auto database = open_for_reading(study_file(folder, "sample", ".db"));
  Statement row = database->prepare(sql);
  std::string text;
  while (row.step()) {
    if (!text.empty()) text += '\n';
    for (int i = 0; i < row.column_count(); ++i) text += (i > 0 ? "|" : "") + std::string(row.text(i));
  }
  return text;
}

struct Fixture {
  TempFolder folder;
  std::unique_ptr<Store> store = Store::create(folder.path(), support::sample_row(), {});

  Fixture() {
    store->begin();
    store->add(support::start_of(0));
  }
  std::string after_commit(const std::string& sql) {
    store->commit(Durability::normal);
    return ask(folder.path(), sql);
  }
  void end(int attempt, std::vector<trial::Metric> metrics, std::vector<trial::Artifact> artifacts = {}) {
    trial::PieceResult r = support::result_of(0, 0, attempt);
    r.reports = {{1, std::move(metrics)}};
    r.artifacts = std::move(artifacts);
    store->add(study::Event(study::PieceEnded{r}));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "values that are not finite are NULL with their kind", "[storage][metrics]") {
  const double inf = std::numeric_limits<double>::infinity();
  store->attempts().start({piece_of(0), 1, 0});
  end(1, {{"a", std::nan("")}, {"b", inf}, {"c", -inf}, {"d", 0.5}});
  CHECK(after_commit("SELECT metric, value IS NULL, kind FROM v_metrics ORDER BY 1") ==
        "a|1|nan\nb|1|inf\nc|1|-inf\nd|0|finite");
}

TEST_CASE_METHOD(Fixture, "the last committed value counts, and is a divergence if it differs", "[storage][metrics]") {
  store->attempts().start({piece_of(0), 1, 0});
  end(1, {{"loss", 0.5}, {"same", std::nan("")}});
  store->attempts().start({piece_of(0), 2, 0});
  end(2, {{"loss", 0.25}, {"same", std::nan("")}});
  CHECK(after_commit("SELECT value, attempt FROM v_metrics WHERE metric = 'loss'") == "0.25|2");
  CHECK(ask(folder.path(), "SELECT trial, step, metric, attempt, first, later FROM v_divergences") ==
        "0|1|loss|2|0.5|0.25");
  REQUIRE(store->warnings().size() == 1);
  CHECK(store->warnings()[0] == "trial 0, attempt 2: loss at step 1 is 0.25, but an earlier attempt measured 0.5");
}

// The store kept the values of the attempt that failed, beside those of the one that completed the piece.
TEST_CASE_METHOD(Fixture, "values of an attempt that failed give way to those of the next one", "[storage][metrics]") {
  const auto values = "SELECT step, metric, value, attempt FROM v_metrics ORDER BY 1, 2";
  end(1, {{"loss", 0.5}});
  store->change({trial::TrialId(0), trial::TrialState::paused, 0.5, 1});
  trial::PieceResult failed{.key = piece_of(0, 1), .attempt = 1, .outcome = trial::Outcome::failed};
  failed.reports = {{2, {{"loss", 101}, {"only.then", 1}}}, {3, {{"loss", 102}}}};
  store->add(study::Event(study::PieceEnded{failed}));
  store->commit(Durability::normal);
  CHECK(ask(folder.path(), values) == "1|loss|0.5|1\n2|loss|101.0|1\n2|only.then|1.0|1\n3|loss|102.0|1");
  store->begin();
  trial::PieceResult again{.key = piece_of(0, 1), .attempt = 2};
  again.reports = {{2, {{"loss", 0.25}}}};
  store->add(study::Event(study::PieceEnded{again}));
  CHECK(after_commit(values) == "1|loss|0.5|1\n2|loss|0.25|2");
}

// Values of the attempt that ran on were gone from tables and pages until its end.
TEST_CASE_METHOD(Fixture, "an attempt that fails beside another leaves that one's values", "[storage][metrics]") {
  const auto values = "SELECT step, value, attempt FROM v_metrics ORDER BY 1";
  store->attempts().start({piece_of(0), 1, 0});
  for (int step = 1; step <= 3; ++step) store->attempts().telemetry(piece_of(0), 1, {step, {{"loss", 0.5}}});
  store->attempts().start(
      {.key = piece_of(0), .attempt = 2, .worker = 1, .resume = {}, .partial = {}, .donor = {}, .copy_of = 1});
  trial::PieceResult failed{.key = piece_of(0), .attempt = 2, .outcome = trial::Outcome::failed};
  failed.reports = {{1, {{"loss", 0.5}}}};
  store->add(study::Event(study::PieceEnded{failed}));
  store->commit(Durability::normal);
  CHECK(ask(folder.path(), values) == "1|0.5|2\n2|0.5|1\n3|0.5|1");
  store->begin();
  end(1, {{"loss", 0.25}});
  CHECK(after_commit(values) == "1|0.25|1\n2|0.5|1\n3|0.5|1");
}

TEST_CASE_METHOD(Fixture, "a committed value takes the place of telemetry", "[storage][metrics]") {
  store->attempts().start({piece_of(0), 1, 0});
  store->attempts().telemetry(piece_of(0), 1, {1, {{"loss", 0.5}}});
  SECTION("of the same value, silently") {
    end(1, {{"loss", 0.5}});
    CHECK(after_commit("SELECT value, committed FROM v_metrics") == "0.5|1");
    CHECK(store->warnings().empty());
  }
  SECTION("of another value, with a divergence") {
    end(2, {{"loss", 0.75}});
    CHECK(after_commit("SELECT value, committed, attempt FROM v_metrics") == "0.75|1|2");
    CHECK(store->warnings().size() == 1);
  }
  SECTION("and not the other way round") {
    end(1, {{"loss", 0.5}});
    store->attempts().telemetry(piece_of(0), 2, {1, {{"loss", 0.5}}});
    CHECK(after_commit("SELECT committed, attempt FROM v_metrics") == "1|1");
  }
}

TEST_CASE_METHOD(Fixture, "edges say who came from whom", "[storage][edges]") {
  const std::string hash(64, 'a');
  store->attempts().start({piece_of(0), 1, 0});
  store->attempts().start({piece_of(0), 2, 1, "", 1});
  store->attempts().start({piece_of(0, 1), 1, 1, hash});
  CHECK(after_commit("SELECT piece, attempt, kind, from_piece, from_attempt, artifact FROM v_edges ORDER BY 1, 2, 3") ==
        "0|2|resumed_from|0|1|\n0|2|retried_after|0|1|\n1|1|continued_from|0||" + hash);
  CHECK(ask(folder.path(), "SELECT attempts, worker FROM v_trials") == "3|1");
}

TEST_CASE_METHOD(Fixture, "edges of weights say whose they were", "[storage][edges]") {
  const std::string a(64, 'a'), b(64, 'b');
  store->attempts().start({piece_of(0), 1, 0});
  store->attempts().start_from(piece_of(0), 1, {{a, "other", 4}});
  store->attempts().start({piece_of(0, 1), 1, 0});
  store->attempts().start_from(piece_of(0, 1), 1, {{a, "other", 4}, {b, "", -1}});
  CHECK(after_commit("SELECT piece, kind, from_study, from_trial, artifact FROM v_edges WHERE kind LIKE '%ed_from' AND "
                     "kind NOT LIKE 'continued%' ORDER BY piece, artifact") ==
        "0|started_from|other|4|" + a + "\n1|averaged_from|other|4|" + a + "\n1|averaged_from|||" + b);
}

TEST_CASE_METHOD(Fixture, "attempts at workers that joined are told from others", "[storage][attempts]") {
  store->opening().worker(4, 100, "here", "running");
  store->opening().worker(5, 101, "there", "joined");
  store->opening().worker(6, 102, "there", "joined");
  store->attempts().start({piece_of(0), 1, 4});
  store->attempts().start({piece_of(1), 1, 5});
  store->attempts().start({piece_of(2), 1, 6});
  CHECK_FALSE(store->attempts().is_at_joined(piece_of(0), 1));
  CHECK(store->attempts().is_at_joined(piece_of(1), 1));
  CHECK_FALSE(store->attempts().is_at_joined(piece_of(1), 2));
  store->opening().worker(6, 102, "there", "lost");
  CHECK_FALSE(store->attempts().is_at_joined(piece_of(2), 1));
  SECTION("until they end") {
    trial::PieceResult result = support::result_of(1, 0, 1);
    store->add(study::Event(study::PieceEnded{result}));
    CHECK_FALSE(store->attempts().is_at_joined(piece_of(1), 1));
  }
  SECTION("and go on with another worker of theirs") {
    store->opening().worker(7, 101, "there", "joined");
    store->attempts().go_on(piece_of(1), 1, 7);
    store->opening().worker(5, 101, "there", "ended");
    CHECK(store->attempts().is_at_joined(piece_of(1), 1));
    CHECK(after_commit("SELECT worker FROM v_attempts WHERE trial = 1") == "7");
  }
}

TEST_CASE_METHOD(Fixture, "of two attempts at once the copy names the other, and one was overtaken",
                 "[storage][attempts]") {
  store->attempts().start({piece_of(0), 1, 4});
  store->attempts().start({piece_of(0), 2, 5, "", 1, {}, 1});
  end(2, {{"loss", 0.5}});
  store->add(study::Event(study::AttemptLost{piece_of(0), 1, trial::Cause::overtaken, "attempt 2 was home first", ""}));
  CHECK(after_commit("SELECT attempt, state, cause, message FROM v_attempts") ==
        "1|cancelled|overtaken|attempt 2 was home first\n2|completed||");
  CHECK(ask(folder.path(), "SELECT attempt, kind, from_attempt FROM v_edges ORDER BY kind") ==
        "2|copied_from|1\n2|resumed_from|1");
}

/// Attempts without a result had no seconds, and those of cancelled trials were running for ever.
TEST_CASE_METHOD(Fixture, "attempts without a result have taken time", "[storage][attempts]") {
  const auto began_before = [&] {
    store->commit(Durability::full);
    Database(study_file(folder.path(), "sample", ".db"), Database::Mode::write)
        .run("UPDATE dl_attempt SET started = started - 1000000 WHERE state = 0");
  };
  const auto lost = [&](int trial, trial::Cause cause) {
    store->add(study::Event(study::AttemptLost{piece_of(trial), 1, cause, "", ""}));
  };
  const std::string asked = "SELECT trial, state, seconds BETWEEN 999 AND 1100 FROM v_attempts ORDER BY trial";
  for (const int trial : {0, 1}) store->attempts().start({piece_of(trial), 1, 4});
  began_before();
  store->begin();
  SECTION("of a worker that was lost, and of a cancelled trial, once") {
    lost(0, trial::Cause::worker_lost);
    const bool is_running = GENERATE(true, false);
    if (!is_running) store->attempts().abandon(trial::TrialId(1));
    for (const int attempt : {1, 1, 2}) store->attempts().abandon(piece_of(1), attempt);
    CHECK(after_commit(asked) == "0|lost|1\n1|cancelled|1");
    CHECK(ask(folder.path(), "SELECT count(*) FROM v_attempts WHERE finished IS NULL") == "0");
    CHECK(ask(folder.path(), "SELECT seconds BETWEEN 999 AND 1100 FROM v_trials") == "1");
    CHECK(ask(folder.path(), "SELECT seconds = lost_seconds AND lost_seconds >= 999 FROM v_costs") == "1");
  }
  SECTION("of an earlier driver, until its worker ended or it wrote its last row") {
    if (GENERATE(true, false)) store->opening().worker(4, 100, "here", "ended");
    store->commit(Durability::full);
    store->close();
    store.reset();
    for (const std::int64_t closed = now_ms(); now_ms() == closed;) {
    }  // a later driver starts later
    store = Store::open(folder.path(), "sample", {});
    store->begin();
    const double open = store->attempts().seconds();
    CHECK(open >= 2 * 999);
    for (const int trial : {0, 1}) lost(trial, trial::Cause::driver_lost);
    CHECK(store->attempts().seconds() == Approx(open));
    CHECK(after_commit(asked) == "0|lost|1\n1|lost|1");
  }
}

TEST_CASE_METHOD(Fixture, "a trial made from another has an edge before any attempt", "[storage][edges]") {
  store->attempts().descend(trial::TrialId(0), {"ablated_from", trial::TrialId(17), "digits"});
  CHECK(after_commit("SELECT trial, piece, attempt, kind, from_study, from_trial FROM v_edges") ==
        "0|0|0|ablated_from|digits|17");
}

TEST_CASE_METHOD(Fixture, "attempts keep how they ended", "[storage][attempts]") {
  store->attempts().start({piece_of(0), 1, 4});
  store->add(
      study::Event(study::AttemptLost{piece_of(0), 1, trial::Cause::worker_lost, "worker 4 went silent", "last\n"}));
  store->attempts().start({piece_of(0), 2, 5});
  trial::PieceResult r = support::result_of(0, 0.5, 2);
  r.outcome = trial::Outcome::failed;
  r.cause = trial::Cause::oom;
  r.message = "out of memory";
  r.peak_rss = 77;
  store->add(study::Event(study::PieceEnded{r}));
  CHECK(after_commit("SELECT attempt, state, cause, message, worker, iif(state = 'lost', NULL, seconds), peak_rss, "
                     "log_tail FROM v_attempts") ==
        "1|lost|worker_lost|worker 4 went silent|4|||last\n\n2|failed|oom|out of memory|5|0.25|77|");
  CHECK(ask(folder.path(), "SELECT seconds BETWEEN 0.25 AND 10 FROM v_trials") == "1");
  CHECK(ask(folder.path(), "SELECT count(*) FROM v_events WHERE body LIKE '%log_tail%'") == "0");
}

// Reports and exports of a stopped study said that it was running, and its status said that it was not.
TEST_CASE_METHOD(Fixture, "an attempt whose worker has ended is not running", "[storage][attempts]") {
  store->attempts().start({piece_of(0), 1, 4});
  store->change(study::TrialChanged{.trial = trial::TrialId(0), .state = trial::TrialState::running, .message = ""});
  const std::string states = "SELECT t.state, a.state FROM v_trials t JOIN v_attempts a USING (trial)";
  store->opening().worker(4, 100, "here", "running");
  SECTION("its driver runs") { CHECK(after_commit(states) == "running|running"); }
  SECTION("its driver has ended it") {
    store->opening().worker(4, 100, "here", "ended");
    CHECK(after_commit(states) == "waiting|lost");
  }
}

TEST_CASE_METHOD(Fixture, "decisions are rows", "[storage][decisions]") {
  study::Decision idle;
  idle.number = 1;
  idle.kind = study::DecisionKind::idle;
  idle.end = 9;
  idle.reason = "nothing is eligible";
  store->add(idle);
  CHECK(after_commit("SELECT number, kind, trial, piece, \"end\", to_step, reason FROM v_decisions") ==
        "0|start|0|0|1000|1|\n1|idle|||9|0|nothing is eligible");
  CHECK(ask(folder.path(), "SELECT trial, piece, decision, to_step FROM v_pieces") == "0|0|0|1");
}

TEST_CASE_METHOD(Fixture, "workers, environment, notes and tags", "[storage]") {
  store->opening().worker(0, 123, "here", "started");
  store->opening().worker(0, 123, "here", "gone");
  const storage::Environment here{
      .version = "0.1.0", .host = "here", .command = "dlrun tune", .git_dirty = true, .cores = 2, .arithmetic = 1};
  CHECK_FALSE(store->opening().environment(here));  // the first driver
  store->note(trial::TrialId(0), "looks odd");
  store->note({}, "for the paper");
  store->tag(trial::TrialId(0), "keep", false);
  store->tag({}, "draft", false);
  store->tag({}, "draft", true);
  CHECK(after_commit("SELECT worker, pid, state FROM v_workers") == "0|123|gone");
  CHECK(ask(folder.path(), "SELECT version, git_dirty, cores, driver FROM v_environment") == "0.1.0|1|2|1");
  CHECK(ask(folder.path(), "SELECT trial, text FROM v_notes ORDER BY text") == "|for the paper\n0|looks odd");
  CHECK(ask(folder.path(), "SELECT trial, tag FROM v_tags") == "0|keep");
}

TEST_CASE_METHOD(Fixture, "the executor of an opening", "[storage]") {
  store->opening().environment({.executor = {"ssh", "1.2", "ab12"}});
  const std::string columns = "SELECT executor, executor_version, executor_sha256 FROM v_environment";
  CHECK(after_commit(columns) == "ssh|1.2|ab12");
  store->begin();
  store->opening().environment({.executor = {"local", "", ""}});
  store->commit(storage::Durability::full);
  CHECK(ask(folder.path(), columns) == "local||");
}

TEST_CASE_METHOD(Fixture, "the program of an opening, whose changes the study holds on to", "[storage]") {
  const std::string changes(64, 'c');
  const storage::Program program{.files = {{"a.py", "1"}, {"b.py", "2"}}, .revision = "r", .changes = changes};
  store->opening().environment({.program = program});
  CHECK(after_commit("SELECT driver, path, sha256 FROM v_program_files ORDER BY path") == "1|a.py|1\n1|b.py|2");
  CHECK(ask(folder.path(), "SELECT program_revision, program_changes FROM v_environment") == "r|" + changes);
  storage::Database database(storage::study_file(folder.path(), "sample", ".db"), storage::Database::Mode::read);
  CHECK(storage::read_program(database, 1).files == program.files);
  CHECK_FALSE(storage::read_program(database, 2).is_recorded());
  CHECK(storage::kept_by(database).contains(changes));
}

TEST_CASE("values of parameters are as the spec has them", "[storage][params]") {
  const TempFolder folder;
  space::Parameter opt{.name = "opt", .at = "optimizer.op", .type = space::Type::categorical};
  opt.choices = {"sgd", 3, 0.5};
  space::Parameter off{.name = "mom", .low = 0, .high = 1};
  off.when = {{0, {space::Choice{0}}}};
  const space::Space space({opt, off});
  auto store = Store::create(folder.path(), support::sample_row(), space);
  for (std::uint32_t i = 0; i < 3; ++i) {
    store->begin();
    store->add(support::start_of(i, {space::Choice{i}, i == 0 ? space::Value(0.5) : space::Value()}));
    store->commit(Durability::normal);
  }
  CHECK(ask(folder.path(), "SELECT trial, name, value, typeof(value) FROM v_params ORDER BY 1, 2") ==
        "0|mom|0.5|real\n0|opt|sgd|text\n1|opt|3|integer\n2|opt|0.5|real");
  store.reset();
  CHECK_THROWS_WITH(
      Store::open(folder.path(), "sample", space::Space({{.name = "mom", .low = 0, .high = 1}})),
      Contains("begun with parameter 'opt' (categorical) in place 0, but the spec has 'mom' (float) there"));
  CHECK_THROWS_WITH(Store::open(folder.path(), "sample", space::Space({opt})),
                    Contains("with parameter 'mom' (float) in place 1, but the spec has none there"));
  CHECK_THROWS_WITH(Store::open(folder.path(), "sample", space::Space({opt, off, {.name = "x", .low = 0, .high = 1}})),
                    Contains("begun with 2 parameters, but the spec has 3"));
  CHECK(Store::open(folder.path(), "sample", {}) != nullptr);  // notes need no space
}

}  // namespace tables_test
