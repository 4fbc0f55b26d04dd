// SPDX-License-Identifier: Apache-2.0
#include "storage/views.hpp"

#include <algorithm>
#include <array>

#include "storage/schema.hpp"

namespace dlrun::storage {

namespace {

constexpr std::array<std::string_view, 13> kOptunaTables{
    "studies",          "version_info",          "alembic_version",
    "study_directions", "study_user_attributes", "study_system_attributes",
    "trials",           "trial_user_attributes", "trial_system_attributes",
    "trial_params",     "trial_values",          "trial_intermediate_values",
    "trial_heartbeats"};
constexpr std::array<std::string_view, 2> kHelpers{"dl_choice_json", "dl_distribution"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names of Optuna's tables that are tables in the file.
std::vector<std::string> tables_of_optuna(Database& database) {
  std::vector<std::string> found;
  Statement tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'");
  while (tables.step()) {
    if (holds(kOptunaTables, tables.text(0))) found.emplace_back(tables.text(0));
  }
  return found;
}

bool has_study(Database& database, const std::vector<std::string>& tables) {
  return std::find(tables.begin(), tables.end(), "studies") != tables.end() &&
         database.integer("SELECT count(*) FROM studies") > 0;
}

std::size_t count_of_views(const std::string& sql) {
  constexpr std::string_view kBegin = "CREATE VIEW ";
  std::size_t count = 0;
  for (std::size_t at = sql.find(kBegin); at != std::string::npos; at = sql.find(kBegin, at + 1)) ++count;
  return count;
}

bool has_text(const std::string& sql, std::string_view view) {
  return sql.find(std::string(view) + ";") != std::string::npos;
}

}  // namespace

bool is_own_view(std::string_view name) {
  return name.starts_with("v_") || holds(kOptunaTables, name) || holds(kHelpers, name);
}

bool has_views(Database& database, const std::string& sql) {
  const std::vector<std::string> tables = tables_of_optuna(database);
  const std::string optuna = tables.empty() ? optuna_views() : "";
  if (!tables.empty() && !has_study(database, tables)) return false;
  std::size_t found = 0;
  Statement views = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'view'");
  while (views.step()) {
    if (!is_own_view(views.text(0))) continue;
    if (!has_text(sql, views.text(1)) && !has_text(optuna, views.text(1))) return false;
    ++found;
  }
  return found == count_of_views(sql) + count_of_views(optuna);
}

void drop_views(Database& database) {
  std::string drops;
  {
    Statement list = database.prepare("SELECT name FROM sqlite_master WHERE type = 'view'");
    while (list.step()) {
      if (is_own_view(list.text(0))) drops += "DROP VIEW \"" + std::string(list.text(0)) + "\";";
    }
  }
  database.run(drops);
}

void make_views(Database& database, const std::string& sql) {
  database.run(sql);
  const std::vector<std::string> tables = tables_of_optuna(database);
  if (has_study(database, tables)) return;
  for (const std::string& table : tables) database.run("DROP TABLE " + table);
  database.run(optuna_views());
}

}  // namespace dlrun::storage
