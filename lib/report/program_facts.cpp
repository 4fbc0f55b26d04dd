// SPDX-License-Identifier: Apache-2.0
#include "report/opened.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::report {

std::vector<std::pair<std::string, Json>> program_facts(const OpenedStudy& study, std::int64_t number) {
  std::vector<std::pair<std::string, Json>> facts;
  if (!study.has_column("v_program_files", "path")) return facts;  // an earlier dlrun wrote the study
  storage::Statement files = study.query(
      "SELECT DISTINCT path, substr(sha256, 1, 12) FROM v_program_files WHERE driver IN "
      "(SELECT driver FROM v_attempts WHERE trial = ?) ORDER BY path, driver");
  files.bind(number);
  while (files.step()) facts.emplace_back("program " + std::string(files.text(0)), cell(files, 1));
  storage::Statement trees = study.query(
      "SELECT DISTINCT substr(program_revision, 1, 12) || ifnull(' and changes ' || substr(program_changes, 1, 12), "
      "'') "
      "FROM v_environment WHERE program_revision IS NOT NULL AND driver IN "
      "(SELECT driver FROM v_attempts WHERE trial = ?) ORDER BY driver");
  trees.bind(number);
  while (trees.step()) facts.emplace_back("program revision", cell(trees, 0));
  return facts;
}

std::vector<std::pair<std::string, Json>> executor_facts(const OpenedStudy& study, std::int64_t number) {
  std::vector<std::pair<std::string, Json>> facts;
  if (!study.has_column("v_environment", "executor")) return facts;  // an earlier dlrun wrote the study
  storage::Statement plugins = study.query(
      "SELECT DISTINCT executor || ' ' || executor_version || ' (' || substr(executor_sha256, 1, 12) || ')' "
      "FROM v_environment WHERE executor_sha256 IS NOT NULL AND driver IN "
      "(SELECT driver FROM v_attempts WHERE trial = ?) ORDER BY driver");
  plugins.bind(number);
  while (plugins.step()) facts.emplace_back("executor", cell(plugins, 0));
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
