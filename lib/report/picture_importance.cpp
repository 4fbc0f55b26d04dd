// SPDX-License-Identifier: Apache-2.0
// Importance of each parameter as a bar with its interval.
#include <fmt/format.h>

#include <algorithm>

#include "plot/bars.hpp"
#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostRows = 30;

std::size_t column_of(const Table& table, const std::string& name) {
  return std::size_t(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin());
}

/// A fact of the table on what the shares rest on, as text; empty: none.
std::string fact_of(const Table& basis, const std::string& name) {
  for (const std::vector<Json>& row : basis.rows) {
    if (row[0] == name) return row[1].is_string() ? row[1].get<std::string>() : to_text(row[1]);
  }
  return {};
}

std::vector<plot::BarRow> rows_of(const Table& shares) {
  std::vector<plot::BarRow> rows;
  const std::size_t value = column_of(shares, "importance");
  for (const std::vector<Json>& row : shares.rows) {
    if (!row[value].is_number()) continue;
    rows.push_back({row[0].get<std::string>(),
                    {row[value].get<double>(), row[value + 1].get<double>(), row[value + 2].get<double>()}});
  }
  return rows;
}

std::string remark_of(const Table& basis, std::size_t drawn, std::size_t all) {
  std::string text = fmt::format("fANOVA of {} trials, intervals of 90 %", fact_of(basis, "trials"));
  const std::string reason = fact_of(basis, "no ranking");
  if (!reason.empty()) text += "; no ranking: " + reason;
  return drawn < all ? text + fmt::format("; {} of {} parameters", drawn, all) : text;
}

}  // namespace

PictureOrReason importance_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  const ShownGoal goal = shown_goal(study, wishes);
  if (shown_trials(study, goal).all.empty()) return {std::nullopt, "it has no trial yet"};
  const std::vector<Table> tables = importance_of(study, "fanova", wishes.objective);
  std::vector<plot::BarRow> rows = rows_of(tables.front());
  const Table& basis = tables.back();
  if (rows.empty()) {
    const std::string reason = fact_of(basis, "no ranking");
    return {std::nullopt, "its trials do not tell which parameters matter" + (reason.empty() ? "" : ": " + reason)};
  }
  const std::size_t all = rows.size();
  rows.resize(std::min(rows.size(), kMostRows));
  return {plot::bars({file_name(study, "importance"),
                      fmt::format("Importance of the parameters of {} for {}", short_name(study), goal.metric),
                      remark_of(basis, rows.size(), all), "share of the objective's variance", rows})};
}

}  // namespace dlrun::report
