// SPDX-License-Identifier: Apache-2.0
// The joules of a study, as far as they were measured (docs/energy.md).
#include <fmt/format.h>

#include "report/cost.hpp"

namespace dlrun::report {

namespace {

constexpr double kManyJoules = 360'000;  ///< 0.1 kWh

/// Attempts that a worker has ended, measured or not.
constexpr const char* kAttempts = "SELECT count(*) FROM v_attempts WHERE worker IS NOT NULL AND state <> 'running'";

constexpr const char* kSpent =
    "SELECT source, sum(e.joules), count(e.joules), sum(iif(a.state = 'completed', 0, e.joules)) FROM v_energy e JOIN "
    "v_attempts a USING (trial, replicate, fold, piece, attempt) WHERE a.state <> 'running' GROUP BY source ORDER BY "
    "source";

constexpr const char* kRest =
    "SELECT source, what, sum(joules), count(joules), count(*) FROM v_energy_rest GROUP BY source, what ORDER BY "
    "source, "
    "what";

/// "0.25 kWh; " where it is much.
std::string kilowatt_hours(double joules) {
  return joules < kManyJoules ? "" : fmt::format("{:.3g} kWh; ", joules / 3'600'000);
}

void add_joules(Table& table, const std::string& what, double joules, const std::string& meaning) {
  table.rows.push_back({what, rounded(joules), "joules", kilowatt_hours(joules) + meaning});
}

void add_spent(const OpenedStudy& study, Table& table) {
  storage::Statement count = study.query(kAttempts);
  const std::int64_t attempts = count.step() ? count.integer(0) : 0;
  storage::Statement row = study.query(kSpent);
  while (row.step()) {
    const std::string what = "energy " + std::string(row.text(0));
    const std::string of = fmt::format("of {} of {} attempts", row.integer(2), attempts);
    if (row.integer(2) == 0) {
      table.rows.push_back({what, nullptr, "joules", of + ": its counters failed meanwhile"});
      continue;
    }
    add_joules(table, what, row.real(1), of + ", all that their machine took while they ran");
    if (row.real(3) > 0) add_joules(table, what + " lost", row.real(3), "of that, attempts that failed or vanished");
  }
}

std::string meaning_of(std::string_view what) {
  if (what == "idle") return "beside that, while no attempt ran";
  if (what == "repair") return "beside that, for artifacts that were missing or damaged";
  return "beside that, while the test split was measured";
}

void add_rest(const OpenedStudy& study, Table& table) {
  storage::Statement row = study.query(kRest);
  while (row.step()) {
    if (row.integer(3) == 0) continue;
    const std::string all = row.integer(3) == row.integer(4)
                                ? ""
                                : fmt::format(", of {} of {} runs of the driver", row.integer(3), row.integer(4));
    add_joules(table, fmt::format("energy {} {}", row.text(0), row.text(1)), row.real(2),
               meaning_of(row.text(1)) + all);
  }
}

}  // namespace

void add_energy(const OpenedStudy& study, Table& table) {
  const std::size_t before = table.rows.size();
  if (study.has_column("v_energy", "joules")) {
    add_spent(study, table);
    if (table.rows.size() > before) add_rest(study, table);
  }
  if (table.rows.size() == before) table.rows.push_back({"energy", nullptr, "joules", "not measured"});
}

}  // namespace dlrun::report
