// SPDX-License-Identifier: Apache-2.0
// Stores that released versions wrote: today's program reads them as they are, and migrates them when their driver
// opens them again. stores/schemaN holds one of each schema; a new migration brings one of the schema before it.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "page/page.hpp"
#include "report/lineage.hpp"
#include "report/report.hpp"
#include "report/trial_reader.hpp"
#include "spec/study_spec.hpp"
#include "storage/artifact_files.hpp"
#include "storage/optuna_rows.hpp"
#include "storage/reading.hpp"
#include "storage/recorded_trial.hpp"
#include "storage/schema.hpp"
#include "storage/sqlite.hpp"
#include "storage/store.hpp"
#include "storage/verify.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace stores_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

/// A copy that may be written.
struct OldStore {
  support::TempFolder folder;
  explicit OldStore(const std::string& schema) {
    fs::copy(fs::path(DLRUN_STORES) / schema, folder.path(), fs::copy_options::recursive);
  }
  fs::path db() const { return folder / "studies/first.db"; }
  std::string logical() const {
    std::ostringstream out;
    report::export_logically(folder.path(), {"first"}, out);
    return out.str();
  }
  std::string expected() const { return read_file(folder / "first.logical.jsonl"); }
  int schema() const {
    storage::Database database(db(), storage::Database::Mode::read);
    return storage::schema_of(database);
  }
};

std::string fact(const report::Table& table, const std::string& name) {
  for (const auto& row : table.rows) {
    if (row[0] == name) return row[1].is_string() ? row[1].get<std::string>() : to_text(row[1]);
  }
  return {};
}

}  // namespace

TEST_CASE("a store of the first schema is read as it is", "[golden][stores]") {
  const OldStore store("schema1");
  const report::Reader reader(store.folder.path(), {"first"});
  const auto one = report::TrialReader(store.folder.path(), {"first", 1}).facts();
  CHECK(fact(one, "cause") == "nan");
  CHECK(fact(one, "peak_memory") == "13 MB");
  CHECK(fact(one, "device").empty());
  CHECK_FALSE(report::TrialReader(store.folder.path(), {"first", 5}).details().empty());
  CHECK(reader.status().rows.size() == 1);
  CHECK(reader.workers().rows.size() == 2);
  CHECK(store.logical() == store.expected());
  CHECK(report::sql(store.folder.path(), {"first"}, "select count(*) from attempts").rows[0][0] == 8);
  CHECK(store.schema() == 1);
}

TEST_CASE("a store of the second schema is read as it is, and gains objectives when a driver opens it",
          "[golden][stores]") {
  const OldStore store("schema2");
  const auto ask = [&](const char* statement) { return report::sql(store.folder.path(), {"first"}, statement).rows; };
  CHECK(store.schema() == 2);
  CHECK(store.logical() == store.expected());
  const auto best = ask("select trial from best");
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(ask("select trial from best") == best);
  CHECK(ask("select objective, metric, direction from objectives") ==
        std::vector<std::vector<Json>>{{0, "value", "minimize"}});
  CHECK(ask("select s.value = t.objective from scores s join trials t using (trial) limit 1")[0][0] == 1);
}

TEST_CASE("stores of several schemas answer one query", "[golden][stores]") {
  const OldStore store("schema1");
  fs::copy_file(store.db(), store.folder / "studies/second.db");
  storage::Database(store.folder / "studies/second.db", storage::Database::Mode::write)
      .prepare("UPDATE dl_study SET name = 'second'")
      .run();
  const auto row = storage::Store::find(store.folder.path(), "second");
  storage::Store::open(store.folder.path(), "second", spec::from_json(row->spec, row->spec_text).space)->close();
  const std::vector<std::string> both = {"first", "second"};
  const char* const statement = "select count(*), count(numerics) from attempts";
  CHECK(report::sql(store.folder.path(), both, statement).rows == std::vector<std::vector<Json>>{{16, 0}});
  CHECK(report::sql(store.folder.path(), both, "select count(*) from steps").rows[0][0] == 0);
}

TEST_CASE("a store of every schema is a page, and has all its tables", "[golden][stores]") {
  std::vector<std::string> schemas;
  for (const auto& entry : fs::directory_iterator(DLRUN_STORES)) schemas.push_back(entry.path().filename());
  REQUIRE(schemas.size() > 10);
  for (const std::string& schema : schemas) {
    INFO(schema);
    const OldStore store(schema);
    const report::Reader reader(store.folder.path(), {"first"});
    const auto trials = report::sql(store.folder.path(), {"first"}, "select count(*) from trials").rows[0][0];
    CHECK(reader.trials().rows.size() == trials.get<std::size_t>());
    CHECK_FALSE(reader.cost().at(0).rows.empty());
    const std::string page =
        page::html_page({.store = store.folder.path(), .studies = {"first"}, .plotly = "", .is_drawn = false});
    CHECK_THAT(page, Contains("<h1>first</h1>") && Contains("is the best of") && Contains("</html>"));
  }
}

TEST_CASE("a driver migrates a store of the first schema and keeps a copy", "[golden][stores]") {
  const OldStore store("schema1");
  const auto row = storage::Store::find(store.folder.path(), "first");
  REQUIRE(row);
  const spec::StudySpec spec = spec::from_json(row->spec, row->spec_text);
  auto opened = storage::Store::open(store.folder.path(), "first", spec.space);
  int rows = 0;
  opened->replay([&](const storage::LogRow&) { ++rows; });
  CHECK(rows > 10);
  opened->begin();
  opened->opening().worker(0, 1, "here", "running");
  opened->opening().runtime(0, {"2.11.0", "cpu: a processor", 1, "", "libtorch 2.11.0, cpu, 1 thread, avx2"});
  opened->attempts().steps({{trial::TrialId(5)}, 0}, 1, {{1, {{"lr", 0.1}}}});
  opened->commit(storage::Durability::full);
  opened->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(fs::exists(store.db().string() + ".v1"));
  CHECK(store.logical() == store.expected());
  const auto steps = report::sql(store.folder.path(), {"first"}, "select metric, value from steps");
  CHECK(steps.rows == std::vector<std::vector<Json>>{{"lr", 0.1}});
}

TEST_CASE("a store of the fifth schema gains the versions of its spec, and its chain keeps its root",
          "[golden][stores]") {
  const OldStore store("schema5");
  const auto ask = [&](const char* statement) { return report::sql(store.folder.path(), {"first"}, statement).rows; };
  CHECK(store.schema() == 5);
  CHECK(store.logical() == store.expected());
  CHECK(storage::Store::versions(store.folder.path(), "first").size() == 1);
  const auto row = storage::Store::find(store.folder.path(), "first");
  auto opened = storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space);
  int rows = 0;
  opened->replay([&](const storage::LogRow&) { ++rows; });
  CHECK(rows > 20);
  opened->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  const auto versions = storage::Store::versions(store.folder.path(), "first");
  REQUIRE(versions.size() == 1);
  CHECK(versions[0].hash == row->hash);
  CHECK(versions[0].spec == row->spec);
  CHECK(versions[0].slack == row->slack);
  CHECK(ask("select version, decision, changes from versions") ==
        std::vector<std::vector<Json>>{{0, nullptr, nullptr}});
}

TEST_CASE("a store of the sixth schema gains whose results are cited", "[golden][stores]") {
  const OldStore store("schema6");
  const auto ask = [&](const char* statement) { return report::sql(store.folder.path(), {"first"}, statement).rows; };
  CHECK(store.schema() == 6);
  CHECK(store.logical() == store.expected());
  CHECK_FALSE(report::TrialReader(store.folder.path(), {"first", 0}).details().empty());
  const auto edges = ask("select trial, kind, from_piece from edges order by 1, 2, 3");
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(ask("select trial, kind, from_piece from edges order by 1, 2, 3") == edges);
  CHECK(ask("select count(from_study) from edges")[0][0] == 0);
}

TEST_CASE("the lineage of a store of the seventh schema is told before and after it gains indexes",
          "[golden][stores]") {
  const OldStore store("schema7");
  const auto tell = [&] { return report::lineage_text(report::lineage_of(store.folder.path(), {"first", 1}, {})); };
  CHECK(store.schema() == 7);
  CHECK(store.logical() == store.expected());
  const std::string told = tell();
  CHECK(told.find("gave its weights to first/5") != std::string::npos);
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(tell() == told);
}

TEST_CASE("a store of the tenth schema has measured no energy, before and after a driver opens it",
          "[golden][stores]") {
  const OldStore store("schema10");
  const auto ask = [&](const char* statement) { return report::sql(store.folder.path(), {"first"}, statement).rows; };
  const auto energy = [&] { return to_text(report::Reader(store.folder.path(), {"first"}).cost()[0].rows.back()); };
  const std::string unmeasured = R"(["energy",null,"joules","not measured"])";
  CHECK(store.schema() == 10);
  CHECK(store.logical() == store.expected());
  CHECK(energy() == unmeasured);
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(energy() == unmeasured);
  CHECK(ask("select count(*), count(joules) from attempts") == std::vector<std::vector<Json>>{{10, 0}});
  CHECK(ask("select count(*) from energy")[0][0] == 0);
}

TEST_CASE("a store of the thirteenth schema tells of copies and of who was preempted", "[golden][stores]") {
  const OldStore store("schema13");
  const auto ask = [&](const char* statement) { return report::sql(store.folder.path(), {"first"}, statement).rows; };
  const char* const ends = "select cause, count(*) from attempts group by cause order by 1";
  CHECK(store.schema() == 13);
  CHECK(store.logical() == store.expected());
  const auto before = ask(ends);
  CHECK(before.size() == 3);  // none, overtaken, preempted
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(ask(ends) == before);
}

TEST_CASE("a driver that goes on with a store of the fourteenth schema hears of its arithmetic", "[golden][stores]") {
  const OldStore store("schema14");
  CHECK(store.schema() == 14);
  CHECK(store.logical() == store.expected());
  const auto row = storage::Store::find(store.folder.path(), "first");
  auto opened = storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space);
  opened->begin();
  CHECK(opened->opening().environment({.arithmetic = 1}) == std::optional(0));
  opened->commit(storage::Durability::full);
  opened->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(report::sql(store.folder.path(), {"first"}, "select arithmetic from environment order by driver").rows ==
        std::vector<std::vector<Json>>{{nullptr}, {1}});
}

TEST_CASE("a store of the fifteenth schema counts no repeated epochs, before and after a driver opens it",
          "[golden][stores]") {
  const OldStore store("schema15");
  const auto cost = [&] { return to_text(Json(report::Reader(store.folder.path(), {"first"}).cost()[0].rows)); };
  CHECK(store.schema() == 15);
  CHECK(store.logical() == store.expected());
  const std::string before = cost();
  CHECK(before.find("trained again") == std::string::npos);
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK(cost() == before);
  CHECK(report::sql(store.folder.path(), {"first"}, "select count(*), count(repeated) from attempts").rows ==
        std::vector<std::vector<Json>>{{8, 0}});
}

TEST_CASE("a store of the sixteenth schema knows no files of its programs, before and after a driver opens it",
          "[golden][stores]") {
  const OldStore store("schema16");
  CHECK(store.schema() == 16);
  CHECK(store.logical() == store.expected());
  CHECK_FALSE(report::TrialReader(store.folder.path(), {"first", 0}).details().empty());
  CHECK(storage::kept_by(*storage::open_for_reading(store.db())).empty());
  const auto row = storage::Store::find(store.folder.path(), "first");
  const spec::StudySpec spec = spec::from_json(row->spec, row->spec_text);
  const auto recorded = [&] {
    return storage::read_recorded(store.folder.path(), "first", trial::TrialId(0), spec.space).pieces.at(0);
  };
  CHECK_FALSE(recorded().environment.program.is_recorded());
  storage::Store::open(store.folder.path(), "first", spec.space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK_FALSE(recorded().environment.program.is_recorded());
  CHECK(report::sql(store.folder.path(), {"first"}, "select count(*) from program_files").rows[0][0] == 0);
}

TEST_CASE("a store of the seventeenth schema has no costs of its ranks, before and after a driver opens it",
          "[golden][stores]") {
  const OldStore store("schema17");
  CHECK(store.schema() == 17);
  CHECK(store.logical() == store.expected());
  CHECK_FALSE(report::Reader(store.folder.path(), {"first"}).has_ranks());
  CHECK_FALSE(report::TrialReader(store.folder.path(), {"first", 0}).details().empty());
  const auto row = storage::Store::find(store.folder.path(), "first");
  auto opened = storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space);
  opened->begin();
  opened->attempts().gangs({{trial::TrialId(1)}, 0}, 1,
                           {{2, true, {{.number = 1, .gradients = 3, .computing = 0.25}}}});
  opened->commit(storage::Durability::full);
  opened->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  const char* const all = "select trial, step, attempt, role, number, gradients, computing, staleness, time from ranks";
  CHECK(report::sql(store.folder.path(), {"first"}, all).rows ==
        std::vector<std::vector<Json>>{{1, 2, 1, "rank", 1, 3, 0.25, nullptr, "virtual"}});
  CHECK(report::Reader(store.folder.path(), {"first"}).ranks().rows.size() == 1);
}

TEST_CASE("a store of the nineteenth schema is shown to Optuna's tools once a driver has opened it",
          "[golden][stores]") {
  const OldStore store("schema19");
  CHECK(store.schema() == 19);
  CHECK(store.logical() == store.expected());
  CHECK_FALSE(storage::is_from_optuna(store.folder.path(), "first"));
  const auto row = storage::Store::find(store.folder.path(), "first");
  storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  CHECK_FALSE(storage::is_from_optuna(store.folder.path(), "first"));
  storage::Database database(store.db(), storage::Database::Mode::read);
  CHECK(database.integer("SELECT count(*) FROM trials WHERE state IN ('COMPLETE', 'PRUNED')") == 4);
  CHECK(database.integer("SELECT count(*) FROM trial_params WHERE param_name = 'x'") == 4);
}

TEST_CASE("a store of the twentieth schema knows no executor, before and after a driver opens it", "[golden][stores]") {
  const OldStore store("schema20");
  CHECK(store.schema() == 20);
  CHECK(store.logical() == store.expected());
  const auto shown = [&] { return fact(report::TrialReader(store.folder.path(), {"first", 0}).facts(), "executor"); };
  CHECK(shown().empty());
  const auto row = storage::Store::find(store.folder.path(), "first");
  auto opened = storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space);
  CHECK(shown().empty());
  opened->begin();
  opened->opening().environment({.executor = {"ssh", "1.2", std::string(64, 'a')}});
  opened->commit(storage::Durability::full);
  opened->close();
  CHECK(store.schema() == storage::current_schema());
  CHECK(store.logical() == store.expected());
  const char* const all = "select executor, executor_version from environment order by driver";
  CHECK(report::sql(store.folder.path(), {"first"}, all).rows ==
        std::vector<std::vector<Json>>{{nullptr, nullptr}, {"ssh", "1.2"}});
}

TEST_CASE("stores of every schema are verified as they are, and their damage is named", "[golden][stores]") {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(DLRUN_STORES)) {
    if (!fs::exists(entry.path() / "studies/first.db")) continue;
    ++count;
    const OldStore store(entry.path().filename().string());
    const auto verified = [&] {  // without artifacts, of which some of these stores have none
      storage::Verified found = storage::verify_study(store.folder.path(), "first", true);
      std::erase_if(found.faults, [](const std::string& fault) { return fault.starts_with("artifact "); });
      return found;
    };
    INFO(entry.path().filename().string());
    const std::string before = read_file(store.db());
    const storage::Verified sound = verified();
    CHECK(sound.log_rows > 5);
    CHECK(sound.faults == std::vector<std::string>());
    CHECK(read_file(store.db()) == before);
    {
      storage::Database database(store.db(), storage::Database::Mode::write);
      database.run(
          "UPDATE dl_metric SET value = value + 1 WHERE committed = 1 AND (trial, replicate, fold, step, metric) = "
          "(SELECT trial, replicate, fold, step, metric FROM dl_metric WHERE committed = 1 AND value IS NOT NULL)");
    }
    CHECK(verified().faults.size() == 1);
  }
  CHECK(count >= 10);
}

// "no such column: h.donor"
TEST_CASE("stores of every schema say which checkpoints a policy would give up, as they are", "[golden][stores]") {
  for (const auto& entry : fs::directory_iterator(DLRUN_STORES)) {
    if (!fs::exists(entry.path() / "studies/first.db")) continue;
    INFO(entry.path().filename().string());
    const OldStore store(entry.path().filename().string());
    const storage::KeepPolicy nothing{.best = 0, .last = 0, .rungs = false};
    const auto lost = [&] { return storage::lost_by(store.folder.path(), "first", nothing).checkpoints; };
    const std::int64_t before = lost();
    CHECK_NOTHROW(storage::find_given_up(store.folder.path(), "first", nothing));
    const auto row = storage::Store::find(store.folder.path(), "first");
    storage::Store::open(store.folder.path(), "first", spec::from_json(row->spec, row->spec_text).space)->close();
    CHECK(lost() == before);
  }
}

TEST_CASE("the lineage of a store of the first schema is told, though no edge says more than its kind",
          "[golden][stores]") {
  const OldStore store("schema1");
  const report::Lineage lineage = report::lineage_of(store.folder.path(), {"first", 1}, {});
  CHECK(lineage.trials.size() == 1);
  CHECK_FALSE(lineage.attempts.empty());
}

}  // namespace stores_test
