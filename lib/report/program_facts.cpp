// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/opened.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

using Facts = std::vector<std::pair<std::string, Json>>;

/// A fact for each row of the environments of the trial's drivers.
/// @param text   SQL of what it says
/// @param where  SQL of the environments that have it
void add_environments(Facts& facts, const OpenedStudy& study, std::int64_t number, const char* name, const char* text,
                      const char* where) {
  storage::Statement rows =
      study.query(fmt::format("SELECT DISTINCT {} FROM v_environment WHERE {} AND driver IN "
                              "(SELECT driver FROM v_attempts WHERE trial = ?) ORDER BY driver",
                              text, where));
  rows.bind(number);
  while (rows.step()) facts.emplace_back(name, cell(rows, 0));
}

}  // namespace

Facts program_facts(const OpenedStudy& study, std::int64_t number) {
  Facts facts;
  if (!study.has_column("v_program_files", "path")) return facts;  // an earlier dlrun wrote the study
  storage::Statement files = study.query(
      "SELECT DISTINCT path, substr(sha256, 1, 12) FROM v_program_files WHERE driver IN "
      "(SELECT driver FROM v_attempts WHERE trial = ?) ORDER BY path, driver");
  files.bind(number);
  while (files.step()) facts.emplace_back("program " + std::string(files.text(0)), cell(files, 1));
  add_environments(facts, study, number, "program revision",
                   "substr(program_revision, 1, 12) || ifnull(' and changes ' || substr(program_changes, 1, 12), '')",
                   "program_revision IS NOT NULL");
  return facts;
}

Facts executor_facts(const OpenedStudy& study, std::int64_t number) {
  Facts facts;
  if (!study.has_column("v_environment", "executor")) return facts;  // an earlier dlrun wrote the study
  add_environments(facts, study, number, "executor",
                   "executor || ' ' || executor_version || ' (' || substr(executor_sha256, 1, 12) || ')'",
                   "executor_sha256 IS NOT NULL");
  return facts;
}

std::optional<std::int64_t> peak_memory(const std::filesystem::path& store, const std::string& study) {
  const std::filesystem::path file = storage::study_file(store, study, ".db");
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const auto database = storage::open_for_reading(file);
    storage::Statement row = database->prepare("SELECT max(peak_rss) FROM dl_attempt");
    return row.step() && !row.is_null(0) ? std::optional(row.integer(0)) : std::nullopt;
  } catch (const Error&) {  // a store that cannot be read gives no estimate
    return std::nullopt;
  }
}

}  // namespace dlrun::report
