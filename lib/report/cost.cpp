// SPDX-License-Identifier: Apache-2.0
// Cost of a study, and its cost without the work that was used again.
#include "report/cost.hpp"

#include <fmt/format.h>

namespace dlrun::report {

namespace {

constexpr const char* kSeconds =
    ", sum(seconds), sum(iif(state = 'completed', 0, seconds)) FROM v_attempts WHERE seconds IS NOT NULL ";

void add_devices(const OpenedStudy& study, Table& table) {
  const std::string device = study.has_column("v_attempts", "device") ? "coalesce(device, 'workers')" : "'workers'";
  storage::Statement row = study.query("SELECT " + device + kSeconds + "GROUP BY 1 ORDER BY 1");
  while (row.step()) {
    table.rows.push_back({"computing", rounded(row.real(1)), "seconds", std::string(row.text(0))});
    if (row.real(2) > 0)
      table.rows.push_back({"lost", rounded(row.real(2)), "seconds", "of that, attempts that failed or vanished"});
  }
}

/// Work that was repeated because artifacts were missing or damaged.
void add_repairs(const OpenedStudy& study, Table& table) {
  if (!study.has_column("v_repairs", "epochs")) return;
  storage::Statement row =
      study.query("SELECT count(*), coalesce(sum(epochs), 0), coalesce(sum(seconds), 0) FROM v_repairs");
  if (!row.step() || row.integer(0) == 0) return;
  table.rows.push_back({"trained again", row.integer(1), "epochs", "for artifacts that were missing or damaged"});
  table.rows.push_back({"trained again", rounded(row.real(2)), "seconds", "likewise, not part of computing"});
}

/// Epochs of programs that were started again without a checkpoint of them.
void add_repeated(const OpenedStudy& study, Table& table) {
  if (!study.has_column("v_attempts", "repeated")) return;
  storage::Statement row = study.query("SELECT coalesce(sum(repeated), 0) FROM v_attempts");
  if (!row.step() || row.integer(0) == 0) return;
  table.rows.push_back({"trained again", row.integer(0), "epochs", "by programs that were started again"});
}

}  // namespace

double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

std::vector<Table> cost_of(const OpenedStudy& study) {
  Table spent{study.name + ": what was spent", {"what", "value", "unit", "meaning"}, {}};
  spent.rows.push_back({"trained", epochs_trained(study), "epochs", "of all members, as far as it counts"});
  add_devices(study, spent);
  add_repairs(study, spent);
  add_repeated(study, spent);
  add_energy(study, spent);
  std::vector<Table> tables{std::move(spent)};
  add_saved(study, tables);
  return tables;
}

}  // namespace dlrun::report
