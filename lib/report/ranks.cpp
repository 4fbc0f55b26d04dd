// SPDX-License-Identifier: Apache-2.0
// Costs and tables of trials whose ranks train together. Of an epoch that several attempts trained, the last one's row
// counts.
#include <fmt/format.h>

#include "report/rank_costs.hpp"

namespace dlrun::report {

namespace {

constexpr const char* kLast =
    "v_ranks r WHERE attempt = (SELECT max(attempt) FROM v_ranks l WHERE l.trial = r.trial AND l.replicate = "
    "r.replicate AND l.fold = r.fold AND l.step = r.step)";

/// Sums over rows; four digits, for measured seconds have no more.
constexpr const char* kSums =
    "sum(gradients), round(sum(computing), 4), round(sum(applying), 4), round(sum(transferring), 4), "
    "round(sum(waiting), 4), round(sum(sent)), round(sum(received)), "
    "round(1.0 * sum(staleness * updates) / nullif(sum(updates), 0), 3), max(most_stale), time";

std::vector<std::string> with_sums(std::vector<std::string> columns) {
  for (const char* sum : {"gradients", "computing", "applying", "transferring", "waiting", "sent", "received",
                          "staleness", "most_stale", "time"})
    columns.emplace_back(sum);
  return columns;
}

}  // namespace

bool has_ranks(const OpenedStudy& study) {
  return study.has_column("v_ranks", "role") && study.query("SELECT 1 FROM dl_gang_node LIMIT 1").step();
}

Table ranks_of(const OpenedStudy& study, std::int64_t number) {
  storage::Statement rows =
      study.query(std::string("SELECT replicate, fold, role, number, count(*), ") + kSums + " FROM " + kLast +
                  " AND trial = ? GROUP BY replicate, fold, role, number, time ORDER BY replicate, fold, role, number");
  rows.bind(number);
  return table_of(std::move(rows), "ranks", with_sums({"replicate", "fold", "role", "number", "epochs"}));
}

Table ranks_of(const OpenedStudy& study) {
  if (!has_ranks(study)) return {"ranks", with_sums({"trial", "role", "nodes"}), {}};
  return table_of(study.query(std::string("SELECT trial, role, count(DISTINCT number), ") + kSums + " FROM " + kLast +
                              " GROUP BY trial, role, time ORDER BY trial, role"),
                  "ranks, all of a trial together", with_sums({"trial", "role", "nodes"}));
}

std::vector<std::int64_t> trials_with_ranks(const OpenedStudy& study) {
  std::vector<std::int64_t> trials;
  storage::Statement rows = study.query("SELECT DISTINCT trial FROM dl_gang_node ORDER BY trial");
  while (rows.step()) trials.push_back(rows.integer(0));
  return trials;
}

std::vector<RankCosts> rank_costs(const OpenedStudy& study, std::int64_t trial) {
  storage::Statement rows = study.query(
      std::string("SELECT role = 'server', number, time = 'virtual', sum(gradients), sum(computing), sum(applying), "
                  "sum(transferring), sum(waiting), sum(sent), sum(received), 1.0 * sum(staleness * updates) / "
                  "nullif(sum(updates), 0), max(most_stale) FROM ") +
      kLast + " AND trial = ? GROUP BY role, number, time ORDER BY role, number");
  rows.bind(trial);
  std::vector<RankCosts> costs;
  const auto known = [&](int column) { return rows.is_null(column) ? std::nullopt : std::optional(rows.real(column)); };
  while (rows.step())
    costs.push_back({rows.integer(0) != 0, rows.integer(1), rows.integer(2) != 0, rows.integer(3), rows.real(4),
                     rows.real(5), rows.real(6), rows.real(7), rows.real(8), rows.real(9), known(10), known(11)});
  return costs;
}

std::string RankCosts::name() const { return fmt::format("{} {}", is_server ? "server" : "rank", number); }

}  // namespace dlrun::report
