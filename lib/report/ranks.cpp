// SPDX-License-Identifier: Apache-2.0
// Tables of trials whose ranks train together. Of an epoch that several attempts trained, the last one's row counts.
#include "report/opened.hpp"

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

}  // namespace dlrun::report
