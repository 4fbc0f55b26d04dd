// SPDX-License-Identifier: Apache-2.0
// Tables for programs.
#include <fmt/format.h>

#include <algorithm>

#include "output.hpp"

namespace dlrun::cli {

namespace {

constexpr int kSchema = 1;  // part of the interface: raised when a member changes its meaning

/// Keys of a row: a name that comes twice (a join by hand) gets a number, so that no value is lost.
std::vector<std::string> keys(const std::vector<std::string>& columns) {
  std::vector<std::string> all;
  for (const std::string& column : columns) {
    std::string key = column;
    for (int n = 2; std::find(all.begin(), all.end(), key) != all.end(); ++n) key = fmt::format("{}_{}", column, n);
    all.push_back(key);
  }
  return all;
}

nlohmann::ordered_json table_json(const report::Table& table) {
  const std::vector<std::string> names = keys(table.columns);
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = row[i];
    rows.push_back(std::move(object));
  }
  nlohmann::ordered_json answer;
  answer["title"] = table.title;
  answer["columns"] = names;
  answer["rows"] = std::move(rows);
  return answer;
}

}  // namespace

std::string JsonOutput::text(const std::vector<report::Table>& tables) const {
  nlohmann::ordered_json answer;
  answer["schema"] = kSchema;
  if (tables.size() == 1) {
    answer.update(table_json(tables[0]));
  } else {
    answer["tables"] = Json::array();
    for (const report::Table& table : tables) answer["tables"].push_back(table_json(table));
  }
  return answer.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace dlrun::cli
