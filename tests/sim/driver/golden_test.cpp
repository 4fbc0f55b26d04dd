// SPDX-License-Identifier: Apache-2.0
// Whole studies by the real driver in simulated worlds, against tests/golden/driver: every message to a worker, every
// word to a person and every row of the store. sim_driver compares studies with each other and cannot see a rule that
// is wrong in both. DLRUN_APPROVE=1 writes the files anew.
#include <fmt/format.h>

#include <sqlite3.h>

#include <algorithm>
#include <regex>

#include "driver/environment.hpp"
#include "lives.hpp"
#include "seen_by_driver.hpp"
#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "stories.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/temp_folder.hpp"

namespace driver_golden_test {

using namespace dlrun;
using namespace dlrun::driver_sim;

namespace {

const std::filesystem::path kFolder = DLRUN_SOURCE_DIR "/tests/golden/driver";

/// Columns whose values no simulated clock decides, or which change with every version of the program.
bool is_masked(const std::string& column) {
  const auto masked = {"created", "version", "hash", "spec", "spec_text", "command", "pid"};
  return std::find(masked.begin(), masked.end(), column) != masked.end();
}

std::string columns_of(storage::Statement& rows) {
  std::string line;
  for (int i = 0; i < rows.column_count(); ++i) line += fmt::format(" {}", sqlite3_column_name(rows.handle(), i));
  return line;
}

std::string row_of(storage::Statement& rows) {
  std::string line;
  for (int i = 0; i < rows.column_count(); ++i) {
    const bool is_bytes = sqlite3_column_type(rows.handle(), i) == SQLITE_BLOB;
    const bool is_hidden = is_bytes || is_masked(sqlite3_column_name(rows.handle(), i));
    const bool is_here = rows.text(i) == driver::host_name();
    line += i == 0 ? "  " : "|";
    if (!rows.is_null(i)) line += is_hidden ? "*" : is_here ? "HOST" : rows.text(i);
  }
  return line;
}

/// Takes away what the real clock measured: the time of attempts without a result.
void drop_real_seconds(const std::filesystem::path& file) {
  storage::Database database(file, storage::Database::Mode::write);
  database.run(
      "UPDATE dl_trial SET seconds = round(seconds - coalesce((SELECT sum(a.seconds) FROM dl_attempt a WHERE "
      "a.trial = dl_trial.trial AND a.state > 2), 0), 9)");
  database.run("UPDATE dl_attempt SET seconds = NULL WHERE state > 2");
}

/// All rows of all tables, in the order of their names.
std::string rows_of(const std::filesystem::path& file) {
  std::string lines;
  storage::Database database(file, storage::Database::Mode::read);
  auto tables = database.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('dl_schema', 'dl_word') ORDER BY name");
  while (tables.step()) {
    const std::string table(tables.text(0));
    auto rows = database.prepare("SELECT * FROM " + table);
    for (bool is_first = true; rows.step(); is_first = false) {
      if (is_first) lines += table + columns_of(rows) + "\n";
      lines += row_of(rows) + "\n";
    }
  }
  return lines;
}

void play_earlier(Scenario s, const std::filesystem::path& folder) {
  s.study = s.earlier;
  s.steering = {};
  REQUIRE(play(s, folder).faults.empty());
}

/// A study's life as text, without names of this machine.
std::string story(Scenario s) {
  const support::TempFolder folder(support::in_memory());
  if (!s.artifacts.empty()) s.artifacts = folder.path() / "store/artifacts";
  if (!s.earlier.empty()) play_earlier(s, folder.path());
  std::string text;
  trace = [&](const std::string& line) { text += line + "\n"; };
  const Outcome outcome = play(s, folder.path());
  trace = {};
  for (const std::string& fault : outcome.faults) text += "fault: " + fault + "\n";
  const std::filesystem::path study = storage::study_file(folder.path() / "store", "simulated", ".db");
  drop_real_seconds(study);
  text += rows_of(study);
  text = std::regex_replace(text, std::regex("\\|1[0-9]{12}\\b"), "|T");  // milliseconds of the real clock
  support::replace_all(text, folder.path(), "FOLDER");
  return text;
}

void check(const std::string& name, const Scenario& s) {
  INFO(name);
  const std::string text = story(s);
  const std::string expected = support::golden(kFolder / (name + ".txt"), text);
  CHECK(support::first_difference(text, expected) == "");
}

}  // namespace

TEST_CASE("drivers of drawn studies say and write what they did", "[driver][golden]") {
  for (const std::uint64_t seed : {0, 1, 3, 4, 5, 7, 8, 9}) {
    Scenario s = scenario(seed);
    s.weather.lives = 0;
    s.weather.disk = 0;
    if (seed % 2 == 0) s.artifacts = "as it says";
    check(fmt::format("drawn-{}", seed), s);
  }
}

TEST_CASE("drivers of studies made up say and write what they did", "[driver][golden]") {
  for (const Story& story : stories()) check(story.name, story.scenario);
}

}  // namespace driver_golden_test
