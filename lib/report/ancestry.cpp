// SPDX-License-Identifier: Apache-2.0
// The schedule behind a trial: which ancestor's values its weights were trained with, epoch by epoch.
#include <fmt/format.h>

#include <algorithm>

#include "report/column_names.hpp"
#include "report/opened.hpp"

namespace dlrun::report {

namespace {

/// A trial of the line, and the epochs of it that its descendants took over.
struct Ancestor {
  std::int64_t trial = 0;
  std::int64_t from = 0, to = 0;
};

/// The line of donors, the first ancestor first.
std::vector<Ancestor> ancestors_of(const OpenedStudy& study, std::int64_t number) {
  storage::Statement row = study.query(
      "SELECT t.donor, d.from_step, t.epochs FROM dl_trial t JOIN dl_decision d ON d.trial = t.trial AND d.kind = 0 "
      "WHERE t.trial = ?");
  std::vector<Ancestor> line;
  std::optional<std::int64_t> next = number;
  while (next && row.bind(*next).step()) {
    const std::int64_t from = row.integer(1);
    line.push_back({*next, from, line.empty() ? std::max(row.integer(2), from) : line.back().from});
    next = row.is_null(0) ? std::nullopt : std::optional(row.integer(0));
    row.reset();
  }
  std::reverse(line.begin(), line.end());
  return line;
}

}  // namespace

Table schedule_of(const OpenedStudy& study, std::int64_t number) {
  Table table{fmt::format("the schedule behind trial {}/{}", study.name, number), {"epochs", "trial"}, {}};
  const std::vector<Ancestor> line = ancestors_of(study, number);
  const std::vector<std::string> names = parameter_names(study);
  add_parameters(table.columns, names);
  for (const Ancestor& ancestor : line) {
    table.rows.push_back({fmt::format("{} to {}", ancestor.from, ancestor.to), ancestor.trial});
    const Json params = params_of(study, ancestor.trial);
    for (const std::string& name : names) table.rows.back().push_back(params.value(name, Json()));
  }
  return table;
}

}  // namespace dlrun::report
