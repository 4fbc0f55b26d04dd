// SPDX-License-Identifier: Apache-2.0
// Stores of simulated studies read back, against tests/golden/driver/readings.txt: records of trials, the best of them,
// makers of artifacts, files that would be deleted; and everything that verification says when one cell of one row is
// spoiled (spoiled.txt). DLRUN_APPROVE=1 writes the files anew.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>

#include "driver/decisions.hpp"
#include "driver/recorded_study.hpp"
#include "lives.hpp"
#include "storage/artifact_files.hpp"
#include "storage/best_trials.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/recorded_trial.hpp"
#include "storage/retention.hpp"
#include "storage/store.hpp"
#include "storage/verify.hpp"
#include "stories.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace readings_test {

using namespace dlrun;
using namespace dlrun::driver_sim;

namespace {

constexpr const char* kName = "simulated";

/// A played story's store.
struct Played {
  support::TempFolder folder{support::in_memory()};
  std::filesystem::path store = folder / "store";

  explicit Played(const std::string& name) {
    const auto all = stories();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Story& story) { return story.name == name; });
    REQUIRE(found != all.end());
    Scenario s = found->scenario;
    s.artifacts = store / "artifacts";
    REQUIRE(play(s, folder.path()).faults.empty());
  }
  std::filesystem::path file() const { return storage::study_file(store, kName, ".db"); }
  space::Space space() const { return driver::spec_of(storage::Store::versions(store, kName).back()).space; }
};

std::string text_of(const storage::RecordedTrial& trial, const space::Space& space) {
  std::string text = fmt::format("{} version {}{} {}\n", trial::to_string(trial.state), trial.version,
                                 trial.is_heir ? " heir" : "", to_text(space.params(trial.values)));
  for (const storage::RecordedPiece& p : trial.pieces) {
    text +=
        fmt::format("    {}.{} {} to {} attempt {} {} {} from {:.8} cited {} by {} {}\n", trial::describe(p.key.member),
                    p.key.piece, p.from_step, p.to_step, p.attempt, trial::to_string(p.state),
                    trial::to_string(p.cause), p.inherited, p.cited, p.runtime.numerics, p.runtime.device);
    for (const trial::Artifact& a : p.artifacts)
      text += fmt::format("      {} {:.8} {} bytes at {}\n", a.role, a.sha256, a.bytes, a.step);
  }
  for (const storage::RecordedValue& v : trial.metrics)
    text += fmt::format("    {} {} {} {}\n", trial::describe(v.member), v.step, v.metric, v.value);
  return text;
}

std::string trials_of(const Played& played) {
  std::string text;
  const space::Space space = played.space();
  for (std::int64_t i = 0; i < 4; ++i) {
    try {
      text += fmt::format("  trial {} ", i) +
              text_of(storage::read_recorded(played.store, kName, trial::TrialId(i), space), space);
    } catch (const Error& fault) {
      text += fmt::format("  trial {}: {}\n", i, fault.what());
    }
  }
  return text;
}

std::string summary_of(storage::Database& study) {
  const storage::StudyFacts facts = storage::facts_of(study);
  std::string text = fmt::format("  {} {}, {} trials, {} rows, needs {} artifacts, {} of the best\n", facts.row.name,
                                 facts.state, facts.trials, facts.head.seq, storage::needed_by(study).size(),
                                 storage::needed_by_best(study).size());
  for (const study::Contender& c : storage::best_trials(study, 3))
    text += fmt::format("  best {} {} {}\n", c.id.value, trial::to_string(c.state), fmt::join(c.score.values, " "));
  for (const trial::TrialId id : storage::candidates(study, 4)) text += fmt::format("  candidate {}\n", id.value);
  return text;
}

std::string doomed_of(const Played& played) {
  const std::vector<std::pair<std::string, storage::KeepPolicy>> policies{
      {"default", {}},
      {"none", {.best = 0, .last = 0, .rungs = false, .epochs = false}},
      {"last", {.best = 1, .last = 1, .rungs = false}},
      {"also", {.best = 0, .last = 0, .rungs = false, .candidates = 2, .also = {0}}},
      {"all", {.all = true}}};
  std::string text;
  for (const auto& [name, policy] : policies) {
    text += "  keeps " + name + "\n";
    const storage::Forecast given_up = storage::find_given_up(played.store, kName, policy);
    for (const storage::Doomed& d : given_up.files)
      text += fmt::format("    {:.12} {} {}\n", d.file, d.bytes, d.reason);
  }
  const storage::Forecast garbage = storage::find_garbage(played.store, 0);
  for (const storage::Doomed& d : garbage.files)
    text += fmt::format("  garbage {:.12} {} {}\n", d.file, d.bytes, d.reason);
  return text;
}

std::string makers_of(const Played& played) {
  std::string text;
  const auto store = storage::Store::open(played.store, kName, played.space());
  const storage::StoredArtifacts& artifacts = store->artifacts();
  for (const std::string& hash : artifacts.kept({.all = true})) {
    const auto maker = artifacts.maker_of(hash);
    if (!maker) continue;
    text += fmt::format("  {:.8} by {}.{} attempt {} steps {} to {} {} at {} {} from {:.8}; {} bytes, step {}\n", hash,
                        trial::describe(maker->key.member), maker->key.piece, maker->attempt, maker->from_step,
                        maker->to_step, maker->role, maker->step, maker->numerics, maker->resume,
                        artifacts.bytes_of(hash).value_or(-1), artifacts.step_of(hash, maker->key.member).value_or(-1));
  }
  text += fmt::format("  last of trial 0: {:.8}\n", artifacts.last_of({trial::TrialId(0)}));
  store->close();
  return text;
}

std::string verified(const Played& played) {
  const storage::Verified v = storage::verify_study(played.store, kName, true);
  return fmt::format("  verified {} rows, {} files, {} bytes; {}\n", v.log_rows, v.files, v.bytes,
                     fmt::join(v.faults, "; "));
}

std::string readings_of(const std::string& name) {
  const Played played(name);
  std::string text = name + "\n" + trials_of(played);
  text += summary_of(*storage::open_for_reading(played.file()));
  return text + makers_of(played) + doomed_of(played) + verified(played);
}

std::vector<std::string> texts(storage::Database& database, const std::string& sql) {
  std::vector<std::string> out;
  auto rows = database.prepare(sql);
  while (rows.step()) out.emplace_back(rows.text(0));
  return out;
}

/// Statements that each spoil one cell of a table's last row, then one that deletes the row; each with its name.
std::vector<std::pair<std::string, std::string>> damages(storage::Database& database, const std::string& table) {
  const std::string columns = fmt::format("SELECT name FROM pragma_table_info('{}')", table);
  const auto key = texts(database, columns + " WHERE pk > 0");
  const std::string keys = fmt::format("{}", fmt::join(key.empty() ? std::vector<std::string>{"rowid"} : key, ", "));
  const std::string at = fmt::format("WHERE ({0}) = (SELECT {0} FROM {1} ORDER BY {2} DESC LIMIT 1)", keys, table,
                                     fmt::join(key, " DESC, "));
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& column : texts(database, columns)) {
    const std::string other = fmt::format(
        "CASE typeof({0}) WHEN 'integer' THEN {0} + 1 WHEN 'real' THEN {0} + 0.5 WHEN 'null' THEN 1 WHEN 'text' THEN "
        "{0} || 'x' ELSE zeroblob(32) END",
        column);
    out.emplace_back(table + "." + column, fmt::format("UPDATE {} SET {} = {} {}", table, column, other, at));
  }
  out.emplace_back(table + ", a row less", fmt::format("DELETE FROM {} {}", table, at));
  return out;
}

/// The words of verification about a store whose file a statement has spoiled, then of the decisions computed again.
std::string said_of(const Played& played, const std::string& sql) {
  try {
    storage::Database database(played.file(), storage::Database::Mode::write);
    database.run(sql);
    database.close();
    const auto faults = storage::verify_study(played.store, kName, false).faults;
    if (!faults.empty()) return fmt::format("{}", fmt::join(faults, "; "));
    const std::string fault = driver::recompute_decisions(played.store, kName).fault;
    return fault.empty() ? "nothing" : "only the decisions: " + fault;
  } catch (const Error& refused) {
    return std::string("refused: ") + refused.what();
  }
}

std::string spoiled(const std::string& name) {
  const Played played(name);
  std::vector<std::pair<std::string, std::string>> all;
  {
    storage::Database database(played.file(), storage::Database::Mode::read);
    for (const auto& table : texts(database,
                                   "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN "
                                   "('dl_schema', 'dl_word', 'dl_writer', 'dl_environment', 'dl_worker') "
                                   "ORDER BY name")) {
      if (database.integer("SELECT count(*) FROM " + table) == 0) continue;
      for (auto& damage : damages(database, table)) all.push_back(damage);
    }
  }
  const std::filesystem::path sound = played.folder / "sound.db";
  std::filesystem::copy_file(played.file(), sound);
  std::string text = name + "\n";
  for (const auto& [what, sql] : all) {
    std::filesystem::copy_file(sound, played.file(), std::filesystem::copy_options::overwrite_existing);
    text += fmt::format("  {}: {}\n", what, said_of(played, sql));
  }
  support::replace_all(text, played.folder.path(), "FOLDER");
  return text;
}

void check(const std::string& file, std::string text) {
  CHECK(text == support::golden(DLRUN_SOURCE_DIR "/tests/golden/driver/" + file, text));
}

}  // namespace

TEST_CASE("stores of simulated studies read as they did", "[storage][golden]") {
  std::string text;
  for (const char* name : {"rough", "keep", "pbt", "amended-limits", "ablation", "gangs", "several", "keep-epochs"})
    text += readings_of(name);
  check("readings.txt", text);
}

TEST_CASE("verification says the same of every cell that is spoiled", "[storage][golden]") {
  check("spoiled.txt", spoiled("gangs") + spoiled("pbt"));
}

}  // namespace readings_test
