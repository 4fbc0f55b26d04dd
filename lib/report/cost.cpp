// SPDX-License-Identifier: Apache-2.0
// What a study cost, and what it would have cost without what was used again.
#include <fmt/format.h>

#include "report/opened.hpp"

namespace dlrun::report {

namespace {

/// Epochs that have committed values of their own, cited ones too.
constexpr const char* kEpochs =
    "SELECT count(*) FROM (SELECT DISTINCT trial, replicate, fold, step FROM dl_metric WHERE committed = 1 AND metric "
    "NOT IN (SELECT metric FROM dl_metric_name WHERE name LIKE 'test.%'))";

/// Pieces that another study's result stands for.
constexpr const char* kCited =
    "SELECT coalesce(sum(d.to_step - d.from_step), 0) FROM (SELECT DISTINCT trial, replicate, fold, piece FROM dl_edge "
    "WHERE kind = 'cited_from') e JOIN dl_decision d ON d.kind < 2 AND d.trial = e.trial AND d.replicate = e.replicate "
    "AND d.fold = e.fold AND d.piece = e.piece";

/// Pieces that went on from the one before: trained from the start each would have taken from_step epochs more.
constexpr const char* kContinued =
    "SELECT coalesce(sum(d.from_step), 0) FROM (SELECT DISTINCT trial, replicate, fold, piece FROM dl_edge WHERE kind "
    "= "
    "'continued_from') e JOIN dl_decision d ON d.kind < 2 AND d.trial = e.trial AND d.replicate = e.replicate AND "
    "d.fold "
    "= e.fold AND d.piece = e.piece";

constexpr const char* kInherited =
    "SELECT coalesce(sum(d.from_step), 0) FROM dl_decision d JOIN dl_trial t ON t.trial = d.trial WHERE d.kind < 2 AND "
    "d.piece = 0 AND t.donor IS NOT NULL";

constexpr const char* kPruned =
    "SELECT coalesce(sum(json_extract(s.spec, '$.trial.epochs') - t.epochs), 0) FROM dl_trial t, dl_study s WHERE "
    "t.state = 4";

/// Members that began with weights of another study and whose first epoch is not the first.
constexpr const char* kDonated =
    "SELECT coalesce(sum(f.step - 1), 0) FROM (SELECT trial, replicate, fold, min(step) AS step FROM dl_metric WHERE "
    "committed = 1 GROUP BY trial, replicate, fold) f JOIN (SELECT DISTINCT trial, replicate, fold FROM dl_start) s ON "
    "s.trial = f.trial AND s.replicate = f.replicate AND s.fold = f.fold";

constexpr const char* kResumed = "SELECT count(*) FROM dl_edge WHERE kind = 'resumed_from'";

constexpr const char* kDevices =
    "SELECT coalesce(device, 'workers'), sum(seconds), sum(iif(state = 'completed', 0, seconds)) FROM v_attempts WHERE "
    "seconds IS NOT NULL GROUP BY 1 ORDER BY 1";

std::int64_t number(const OpenedStudy& study, const char* sql) {
  storage::Statement row = study.query(sql);
  return row.step() ? row.integer(0) : 0;
}

double rounded(double seconds) { return std::stod(fmt::format("{:.4g}", seconds)); }

void add_devices(const OpenedStudy& study, Table& table) {
  storage::Statement row = study.query(kDevices);
  while (row.step()) {
    table.rows.push_back({"computing", rounded(row.real(1)), "seconds", std::string(row.text(0))});
    if (row.real(2) > 0)
      table.rows.push_back({"lost", rounded(row.real(2)), "seconds", "of that, attempts that failed or vanished"});
  }
}

}  // namespace

std::vector<Table> cost_of(const OpenedStudy& study) {
  const std::int64_t cited = number(study, kCited);
  Table spent{study.name + ": what was spent", {"what", "value", "unit", "meaning"}, {}};
  spent.rows.push_back({"trained", number(study, kEpochs) - cited, "epochs", "of all members, as far as it counts"});
  add_devices(study, spent);
  spent.rows.push_back({"energy", nullptr, "joules", "not measured"});
  Table saved{study.name + ": what was not trained again", {"what", "value", "unit", "meaning"}, {}};
  const auto add = [&](const char* what, std::int64_t value, const char* unit, const char* meaning) {
    if (value > 0) saved.rows.push_back({what, value, unit, meaning});
  };
  add("continued", number(study, kContinued), "epochs", "pieces went on from the checkpoint of the rung before");
  add("inherited", number(study, kInherited), "epochs", "heirs began where their donors were");
  add("cited", cited, "epochs", "results of earlier studies of the store");
  add("pruned", number(study, kPruned), "epochs", "pruned trials did not go to the end");
  if (study.has_column("v_starts", "tensor"))
    add("donated", number(study, kDonated), "epochs", "of other studies' trials, which these went on from");
  add("resumed", number(study, kResumed), "attempts", "went on from the last epoch of one that failed");
  return {spent, saved};
}

}  // namespace dlrun::report
