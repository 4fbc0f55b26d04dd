// SPDX-License-Identifier: Apache-2.0
#include "agent/tables.hpp"

#include <algorithm>

namespace dlrun::cli::agent {

namespace {

constexpr std::int64_t kRows = 50, kMostRows = 1000;

Json to_json(const report::Table& table, std::size_t from, std::size_t count) {
  const std::size_t first = std::min(from, table.rows.size()),
                    past = first + std::min(count, table.rows.size() - first);
  Json rows = Json::array();
  for (std::size_t i = first; i < past; ++i) rows.push_back(Json(table.rows[i]));
  Json out = {{"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}};
  if (first > 0 || past < table.rows.size()) {
    out["total"] = table.rows.size();
    out["offset"] = first;
  }
  return out;
}

}  // namespace

mcp::Parameters page_parameters() {
  return {{.name = "limit",
           .type = mcp::Type::whole,
           .text = "rows of each table, 50 by default",
           .least = 1,
           .most = kMostRows},
          {.name = "offset", .type = mcp::Type::whole, .text = "rows of each table that are skipped"}};
}

mcp::Answer to_answer(const std::vector<report::Table>& tables, const Json& arguments) {
  Json all = Json::array();
  for (const report::Table& table : tables)
    all.push_back(
        to_json(table, arguments.value("offset", std::size_t(0)), arguments.value("limit", std::size_t(kRows))));
  return {{{"tables", std::move(all)}}};
}

std::string text_in(const Json& arguments, const char* name, const std::string& fallback) {
  return arguments.value(name, fallback);
}

std::vector<std::string> texts_in(const Json& arguments, const char* name) {
  return arguments.value(name, std::vector<std::string>());
}

mcp::Parameter study_parameter(bool is_required) {
  return {.name = "study",
          .text = is_required ? "name of a study" : "name of a study; without it the one that was started last",
          .is_required = is_required,
          .longest = 200};
}

}  // namespace dlrun::cli::agent
