// SPDX-License-Identifier: Apache-2.0
// Studies as a database of Optuna's own; tests/e2e/optuna_test.py goes on with one in Optuna.
#include "optuna/export.hpp"

#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace export_test {

using namespace dlrun;
using storage::Database;

namespace {

using Lines = std::vector<std::string>;

struct Fixture {
  support::TempFolder folder;
  std::filesystem::path store = folder / "store", file = folder / "out.db";

  /// Two trials, the second with a note.
  void add(const std::string& name) const {
    const auto study = storage::Store::create(store, support::sample_row(name), {});
    for (std::int64_t i = 0; i < 2; ++i) support::write_trial(*study, i, 0.5 * double(i));
    study->begin();
    study->note(trial::TrialId(1), "of " + name);
    study->commit(storage::Durability::normal);
    study->close();
  }
  Lines ask(const std::string& sql) const {
    Database database(file, Database::Mode::read);
    storage::Statement rows = database.prepare(sql);
    Lines all;
    while (rows.step()) {
      std::string line(rows.text(0));
      for (int i = 1; i < rows.column_count(); ++i) line += "|" + std::string(rows.text(i));
      all.push_back(line);
    }
    return all;
  }
};

}  // namespace

TEST_CASE("ids count from 1 through all studies, and notes follow their trials", "[optuna][export]") {
  const Fixture f;
  f.add("a");
  f.add("b");
  const optuna::Exported out = optuna::export_studies(f.store, {"a", "b"}, f.file);
  CHECK(out.trials == 4);
  CHECK(out.open == 0);
  CHECK(f.ask("SELECT * FROM studies") == Lines{"1|a", "2|b"});
  CHECK(f.ask("SELECT trial_id, number, study_id, state FROM trials") ==
        Lines{"1|0|1|COMPLETE", "2|1|1|COMPLETE", "3|0|2|COMPLETE", "4|1|2|COMPLETE"});
  CHECK(f.ask("SELECT study_id, key, value_json FROM study_system_attributes WHERE key GLOB 'dashboard*str*'") ==
        Lines{"1|dashboard:2:note_str:0|\"of a\"", "2|dashboard:4:note_str:0|\"of b\""});
  CHECK(f.ask("SELECT trial_id, value FROM trial_values") == Lines{"1|0.0", "2|0.5", "3|0.0", "4|0.5"});
  CHECK(f.ask("SELECT schema_version, version_num FROM version_info, alembic_version") == Lines{"12|v3.2.0.a"});
  CHECK(f.ask("PRAGMA foreign_key_check").empty());
}

TEST_CASE("open trials are counted", "[optuna][export]") {
  const Fixture f;
  f.add("a");
  const auto study = storage::Store::open(f.store, "a", {});
  study->begin();
  study->add(support::start_of(2));
  study->commit(storage::Durability::normal);
  CHECK(optuna::export_studies(f.store, {"a"}, f.file).open == 1);
}

TEST_CASE("an export that fails leaves the file that was there", "[optuna][export]") {
  const Fixture f;
  f.add("a");
  write_file(f.file, "mine");
  CHECK_THROWS_AS(optuna::export_studies(f.store, {"a", "none"}, f.file), Error);
  CHECK(read_file(f.file) == "mine");
  CHECK(entries_of(f.folder.path()).size() == 2);
}

TEST_CASE("a file in which Optuna keeps studies of its own is refused", "[optuna][export]") {
  const Fixture f;
  f.add("a");
  Database(storage::study_file(f.store, "a", ".db"), Database::Mode::write)
      .run(
          "DROP VIEW studies; DROP VIEW trials; CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name); "
          "INSERT INTO studies VALUES (1, 'theirs')");
  CHECK_THROWS_WITH(optuna::export_studies(f.store, {"a"}, f.file),
                    "Optuna keeps studies of its own in the file of study 'a'");
}

}  // namespace export_test
