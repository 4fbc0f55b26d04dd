// SPDX-License-Identifier: Apache-2.0
// A study under the names of Optuna's tables. Columns and distributions stand here as Optuna 5.0.0 writes them into an
// SQLite file of its own; tests/e2e/optuna_test.py reads the views with the package.
#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace optuna_test {

using namespace dlrun;
using namespace dlrun::storage;
using trial::TrialState;

namespace {

/// lr float log, drop float by 0.1, width int by 32, opt of three kinds of choices.
space::Space sample_space() {
  using space::Parameter, space::Type;
  return space::Space(std::vector<Parameter>{
      {.name = "lr", .at = {}, .low = 1e-4, .high = 0.1, .log = true, .step = {}},
      {.name = "drop", .at = {}, .low = 0, .high = 0.5, .step = 0.1},
      {.name = "width", .at = {}, .type = Type::integer, .low = 32, .high = 224, .step = 32},
      {.name = "opt", .at = {}, .type = Type::categorical, .step = {}, .choices = {"sg\"d", true, 3, 0.1}}});
}

struct Study {
  support::TempFolder folder;
  std::unique_ptr<Store> store;

  explicit Study(const std::vector<std::string>& objectives = {"val.accuracy"}) {
    StudyRow row = support::sample_row();
    row.spec["objective"] = Json::array();
    for (const std::string& metric : objectives)
      row.spec["objective"].push_back({{"metric", metric}, {"direction", metric == "cost" ? "minimize" : "maximize"}});
    store = Store::create(folder.path(), row, sample_space());
  }
  void add(std::int64_t trial, double value, space::Values values = {}) {
    support::write_trial(*store, trial, value, std::move(values));
  }
  void change(const study::TrialChanged& change) {
    store->begin();
    store->change(change);
    store->commit(Durability::normal);
  }
  /// Rows as text, "a|b" each.
  std::vector<std::string> ask(const std::string& sql) const {
    Database database(study_file(folder.path(), "sample", ".db"), Database::Mode::read);
    Statement rows = database.prepare(sql);
    std::vector<std::string> all;
    while (rows.step()) {
      std::string line;
      for (int i = 0; i < rows.column_count(); ++i)
        line += (i == 0 ? "" : "|") + (rows.is_null(i) ? "NULL" : std::string(rows.text(i)));
      all.push_back(line);
    }
    return all;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("the views have the columns of Optuna's tables", "[storage][optuna]") {
  const Study study;
  const Lines optuna{"alembic_version: version_num",
                     "studies: study_id, study_name",
                     "study_directions: study_direction_id, direction, study_id, objective",
                     "study_system_attributes: study_system_attribute_id, study_id, key, value_json",
                     "study_user_attributes: study_user_attribute_id, study_id, key, value_json",
                     "trial_heartbeats: trial_heartbeat_id, trial_id, heartbeat",
                     "trial_intermediate_values: trial_intermediate_value_id, trial_id, step, intermediate_value, "
                     "intermediate_value_type",
                     "trial_params: param_id, trial_id, param_name, param_value, distribution_json",
                     "trial_system_attributes: trial_system_attribute_id, trial_id, key, value_json",
                     "trial_user_attributes: trial_user_attribute_id, trial_id, key, value_json",
                     "trial_values: trial_value_id, trial_id, objective, value, value_type",
                     "trials: trial_id, number, study_id, state, datetime_start, datetime_complete",
                     "version_info: version_info_id, schema_version, library_version"};
  CHECK(study.ask("SELECT m.name || ': ' || group_concat(c.name, ', ') FROM sqlite_master m "
                  "JOIN pragma_table_info(m.name) c WHERE m.type = 'view' AND m.name NOT GLOB 'v_*' "
                  "AND m.name NOT GLOB 'dl_*' GROUP BY m.name ORDER BY m.name") == optuna);
  CHECK(study.ask("SELECT * FROM version_info, alembic_version") == Lines{"1|12|dlrun|v3.2.0.a"});
  CHECK(study.ask("SELECT * FROM studies") == Lines{"1|sample"});
  CHECK(study.ask("SELECT direction, objective FROM study_directions") == Lines{"MAXIMIZE|0"});
}

TEST_CASE("parameters have Optuna's distributions, and inactive ones no row", "[storage][optuna]") {
  Study study;
  study.add(0, 0.5, {0.01, 0.30000000000000004, std::int64_t(96), space::Choice{3}});
  study.add(1, 0.5, {0.02, space::Value{}, std::int64_t(32), space::Choice{0}});
  // SQLite 3.40 makes texts of numbers with 15 digits, 3.53 with 17.
  CHECK(study.ask("SELECT trial_id, param_name, format('%!.15g', param_value) FROM trial_params ORDER BY param_id") ==
        Lines{"0|lr|0.01", "0|drop|0.3", "0|width|96.0", "0|opt|3.0", "1|lr|0.02", "1|width|32.0", "1|opt|0.0"});
  CHECK(study.ask("SELECT distribution_json FROM trial_params WHERE trial_id = 0 ORDER BY param_id") ==
        Lines{R"({"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0001, "high": 0.1, "log": true}})",
              R"({"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.0, "high": 0.5, "log": false}})",
              R"({"name": "IntDistribution", "attributes": {"log": false, "step": 32, "low": 32, "high": 224}})",
              R"({"name": "CategoricalDistribution", "attributes": {"choices": ["sg\"d", true, 3, 0.1]}})"});
}

TEST_CASE("states, values and times as Optuna writes them", "[storage][optuna]") {
  Study study;
  for (std::int64_t i = 0; i < 6; ++i) study.add(i, 0.1 * double(i));
  study.change({.trial = trial::TrialId(1), .state = TrialState::pruned, .objective = 0.25, .steps = 1});
  study.change({.trial = trial::TrialId(2), .state = TrialState::failed, .objective = 0.5, .cause = trial::Cause::oom});
  study.change({.trial = trial::TrialId(3), .state = TrialState::paused, .objective = 0.5});
  study.change({.trial = trial::TrialId(4), .state = TrialState::completed});  // without a result
  study.change({.trial = trial::TrialId(5), .state = TrialState::cancelled, .message = "no"});
  CHECK(study.ask("SELECT number, state, datetime_complete IS NULL FROM trials ORDER BY trial_id") ==
        Lines{"0|COMPLETE|0", "1|PRUNED|0", "2|FAIL|0", "3|RUNNING|1", "4|FAIL|0", "5|FAIL|0"});
  CHECK(study.ask("SELECT trial_id, objective, value, value_type FROM trial_values") ==
        Lines{"0|0|0.0|FINITE", "1|0|0.25|FINITE"});
  CHECK(study.ask("SELECT trial_id, value_json FROM trial_user_attributes WHERE key = 'dlrun:state'") ==
        Lines{"3|\"paused\"", "5|\"cancelled\""});
  CHECK(study.ask("SELECT trial_id, value_json FROM trial_user_attributes WHERE key = 'dlrun:cause'") ==
        Lines{"2|\"oom\""});
}

TEST_CASE("times are UTC with six digits", "[storage][optuna]") {
  Study study;
  study.add(0, 0.5);
  study.store->close();
  Database(study_file(study.folder.path(), "sample", ".db"), Database::Mode::write)
      .run("UPDATE dl_trial SET started = 1763640000007, finished = 1763640061250");  // 2025-11-20 12:00 UTC
  CHECK(study.ask("SELECT datetime_start, datetime_complete FROM trials") ==
        Lines{"2025-11-20 12:00:00.007000|2025-11-20 12:01:01.250000"});
}

TEST_CASE("a trial that no worker has waits with its values fixed", "[storage][optuna]") {
  Study study;
  study.store->begin();
  study.store->add(support::start_of(0, {0.01, space::Value{}, std::int64_t(96), space::Choice{1}}));
  study.store->commit(Durability::normal);
  CHECK(study.ask("SELECT state, datetime_start, datetime_complete FROM trials") == Lines{"WAITING|NULL|NULL"});
  CHECK(study.ask("SELECT key, value_json FROM trial_system_attributes") ==
        Lines{R"(fixed_params|{"lr": 0.01, "width": 96, "opt": true})"});
}

TEST_CASE("learning curves are intermediate values, of several members their mean", "[storage][optuna]") {
  Study study;
  study.add(0, 0.5);
  study.add(1, 0.5);
  study.add(2, 0.5);
  study.store->close();
  Database(study_file(study.folder.path(), "sample", ".db"), Database::Mode::write)
      .run(
          "DELETE FROM dl_metric; DELETE FROM dl_metric_name; "
          "INSERT INTO dl_metric_name VALUES (1, 'val.accuracy'), (2, 'val.loss'); "
          "INSERT INTO dl_metric VALUES (0, 0, 0, 1, 1, 0.25, NULL, 1, 1), "
          "(0, 1, 0, 1, 1, 0.75, NULL, 1, 1), (0, 0, 0, 2, 1, NULL, 'inf', 1, 1), (1, 0, 0, 1, 1, NULL, '-inf', 1, 1), "
          "(2, 0, 0, 1, 1, NULL, 'nan', 1, 0), (2, 0, 0, 1, 2, 7, NULL, 1, 1)");
  CHECK(study.ask("SELECT trial_id, step, intermediate_value, intermediate_value_type FROM trial_intermediate_values "
                  "ORDER BY 1, 2") == Lines{"0|1|0.5|FINITE", "0|2|NULL|INF_POS", "1|1|NULL|INF_NEG", "2|1|NULL|NAN"});
}

TEST_CASE("a pruned trial has no curve where there are several objectives", "[storage][optuna]") {
  Study study({"val.accuracy", "cost"});
  study.add(0, 0.5);
  study.add(1, 0.75);
  for (const auto& [number, state] : {std::pair(0, TrialState::pruned), std::pair(1, TrialState::completed)})
    study.change({.trial = trial::TrialId(number), .state = state, .objective = 0.5, .further = {2.0}});
  CHECK(study.ask("SELECT direction, objective FROM study_directions") == Lines{"MAXIMIZE|0", "MINIMIZE|1"});
  CHECK(study.ask("SELECT trial_id, intermediate_value FROM trial_intermediate_values") == Lines{"1|0.75"});
  CHECK(study.ask("SELECT trial_id, objective, value FROM trial_values WHERE trial_id = 1") ==
        Lines{"1|0|0.5", "1|1|2.0"});
  CHECK(study.ask("SELECT value_json FROM study_system_attributes WHERE key = 'study:metric_names'") ==
        Lines{R"(["val.accuracy","cost"])"});
}

TEST_CASE("feasibility, notes and tags are attributes", "[storage][optuna]") {
  Study study;
  study.add(0, 0.5);
  study.add(1, 0.5);
  study.change({.trial = trial::TrialId(1), .state = TrialState::completed, .objective = 0.5, .violation = 0.125});
  study.store->begin();
  study.store->note({}, "all");
  study.store->note(trial::TrialId(1), "a \"b\"");
  study.store->note(trial::TrialId(1), "c");
  study.store->tag(trial::TrialId(1), "good", false);
  study.store->tag({}, "mine", false);
  study.store->commit(Durability::normal);
  CHECK(study.ask("SELECT trial_id, key, value_json FROM trial_system_attributes") == Lines{"1|constraints|[0.125]"});
  CHECK(study.ask("SELECT key, value_json FROM study_system_attributes WHERE key GLOB 'dashboard:*'") ==
        Lines{"dashboard:note_ver|1", "dashboard:note_str:0|\"all\"", "dashboard:1:note_ver|2",
              R"(dashboard:1:note_str:0|"a \"b\"\n\nc")"});
  CHECK(study.ask("SELECT key, value_json FROM trial_user_attributes WHERE trial_id = 1 ORDER BY key") ==
        Lines{"dlrun:epochs|0", R"(dlrun:notes|["a \"b\"","c"])", "dlrun:seconds|0.25", R"(dlrun:tags|["good"])"});
  CHECK(study.ask("SELECT value_json FROM study_user_attributes WHERE key = 'dlrun:tags'") == Lines{R"(["mine"])"});
}

TEST_CASE("all trials are read without a search through all of them for each", "[storage][optuna]") {
  const Study study;
  const char* view = GENERATE("trial_params", "trial_values", "trial_intermediate_values", "trial_system_attributes");
  for (const std::string& step :
       study.ask(std::string("EXPLAIN QUERY PLAN SELECT * FROM ") + view + " WHERE trial_id IN (5, 6, 7)")) {
    CAPTURE(step);
    for (const char* table : {"SCAN p", "SCAN t", "SCAN m", "SCAN dl_trial"})
      CHECK_FALSE(step.substr(step.rfind('|') + 1) == table);
  }
}

TEST_CASE("tables that Optuna made in a file without the views give way unless they hold a study",
          "[storage][optuna]") {
  Study study;
  study.store->close();
  study.store.reset();
  const int studies = GENERATE(0, 1);
  {
    Database database(study_file(study.folder.path(), "sample", ".db"), Database::Mode::write);
    database.run(
        "DROP VIEW studies; DROP VIEW trials; CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name)");
    for (int i = 0; i < studies; ++i) database.run("INSERT INTO studies VALUES (1, 'theirs')");
  }
  for (int opening = 0; opening < 2; ++opening) Store::open(study.folder.path(), "sample", sample_space())->close();
  CHECK(study.ask("SELECT study_name FROM studies") == Lines{studies == 0 ? "sample" : "theirs"});
  CHECK(study.ask("SELECT count(*) FROM sqlite_master WHERE name = 'trials'") == Lines{studies == 0 ? "1" : "0"});
  CHECK(study.ask("SELECT count(*) FROM sqlite_master WHERE name = 'v_trials'") == Lines{"1"});
}

}  // namespace optuna_test
