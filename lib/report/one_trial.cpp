// SPDX-License-Identifier: Apache-2.0
// Everything known of one trial.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "report/column_names.hpp"
#include "report/opened.hpp"
#include "storage/paths.hpp"
#include "trial/trial.hpp"
#include "util/units.hpp"

namespace dlrun::report {

namespace {

Table rows_of(const OpenedStudy& study, std::int64_t number, const char* title, const std::string& columns,
              const char* from) {
  storage::Statement query = study.query("SELECT " + columns + " FROM " + from);
  query.bind(number);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < columns.size();) {
    const std::size_t end = std::min(columns.find(", ", begin), columns.size());
    names.push_back(columns.substr(begin, end - begin));
    begin = end + 2;
  }
  return table_of(std::move(query), title, names);
}

/// The end of the newest log that was kept, a row a line: why an attempt failed is nearly always said there.
Table last_lines_of(const OpenedStudy& study, std::int64_t number) {
  constexpr std::size_t kMost = 10;
  Table table{"last lines of its log", {"line"}, {}};
  storage::Statement failed = study.query("SELECT 1 FROM dl_trial WHERE trial = ? AND state = ?");
  if (!failed.bind(number, int(trial::TrialState::failed)).step()) return table;
  std::istringstream lines(log_tail_of(study, number));
  for (std::string line; std::getline(lines, line);) table.rows.push_back({line});
  if (table.rows.size() > kMost) table.rows.erase(table.rows.begin(), table.rows.end() - kMost);
  return table;
}

/// Machine of the newest attempt, and the most memory any attempt held.
std::vector<std::pair<std::string, Json>> machine_facts(const OpenedStudy& study, std::int64_t number) {
  std::vector<std::pair<std::string, Json>> facts;
  storage::Statement peak = study.query("SELECT max(peak_rss) FROM dl_attempt WHERE trial = ?");
  if (peak.bind(number).step() && !peak.is_null(0))
    facts.emplace_back("peak_memory", bytes_text(double(peak.integer(0))));
  if (!study.has_column("v_attempts", "numerics")) return facts;
  storage::Statement row = study.query(
      "SELECT device, numerics FROM v_attempts WHERE trial = ? AND numerics IS NOT NULL ORDER BY started DESC LIMIT 1");
  if (!row.bind(number).step()) return facts;
  facts.emplace_back("device", cell(row, 0));
  facts.emplace_back("numerics", cell(row, 1));
  return facts;
}

/// One row per step, one column per metric. `from`: the rest of a query for replicate, fold, step, metric, value.
Table curves(const OpenedStudy& study, std::int64_t number, const char* title, const std::string& from) {
  Table table{title, {"replicate", "fold", "step"}, {}};
  storage::Statement rows = study.query("SELECT replicate, fold, step, metric, coalesce(value, kind) FROM " + from +
                                        " ORDER BY replicate, fold, step, metric");
  rows.bind(number);
  std::vector<Json> key;
  std::map<std::string, std::size_t> column_of;  // a metric may have the name of another column
  while (rows.step()) {
    const std::vector<Json> row = cells(rows);
    const std::vector<Json> next(row.begin(), row.begin() + 3);
    if (next != key) table.rows.push_back(key = next);
    const auto [place, is_new] = column_of.try_emplace(row[3].get<std::string>(), table.columns.size());
    if (is_new) add_column(table.columns, place->first, kMetricPrefix);
    const std::size_t column = place->second;
    table.rows.back().resize(std::max(table.rows.back().size(), column + 1));
    table.rows.back()[column] = row[4];
  }
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

Table metrics_of(const OpenedStudy& study, std::int64_t number) {
  return curves(study, number, "metrics", "v_metrics WHERE trial = ?");
}

/// Values by optimiser step, at most twenty of them, evenly spaced and the last among them.
Table steps_of(const OpenedStudy& study, std::int64_t number) {
  constexpr const char* kSome =
      "v_steps JOIN (SELECT replicate AS r, fold AS f, step AS s, row_number() OVER w AS row, count(*) OVER () AS all_ "
      "FROM (SELECT DISTINCT replicate, fold, step FROM v_steps WHERE trial = ?1) "
      "WINDOW w AS (ORDER BY replicate, fold, step)) ON r = replicate AND f = fold AND s = step "
      "WHERE trial = ?1 AND (all_ - row) % ((all_ + 19) / 20) = 0";
  if (!study.has_column("v_steps", "step")) return {"steps", {}, {}};
  Table table = curves(study, number, "steps", kSome);
  storage::Statement count =
      study.query("SELECT count(*) FROM (SELECT DISTINCT replicate, fold, step FROM v_steps WHERE trial = ?)");
  count.bind(number).step();
  const auto all = std::size_t(count.integer(0));
  if (all > table.rows.size()) {
    table.title = fmt::format("steps ({} of {}; the view `steps` has all)", table.rows.size(), all);
  }
  return table;
}

/// Columns of a trial's edges; an heir's donor and a cited study where there are any.
std::string lineage_columns(const OpenedStudy& study) {
  const bool has_cited = study.has_column("v_edges", "from_study") &&
                         study.query("SELECT 1 FROM dl_edge WHERE from_study IS NOT NULL LIMIT 1").step();
  const bool has_heirs = study.has_column("dl_edge", "from_trial") &&
                         study.query("SELECT 1 FROM dl_edge WHERE from_trial IS NOT NULL LIMIT 1").step();
  return std::string("piece, attempt, kind, ") + (has_cited ? "from_study, " : "") +
         (has_cited || has_heirs ? "from_trial, " : "") + "from_piece, from_attempt, artifact";
}

}  // namespace

Json donor_of(const OpenedStudy& study, std::int64_t number) {
  if (!study.has_column("dl_trial", "donor")) return {};  // an earlier dlrun wrote the study
  storage::Statement row = study.query("SELECT donor FROM dl_trial WHERE trial = ?");
  row.bind(number).step();
  return cell(row, 0);
}

std::string trial_name(const OpenedStudy& study, std::int64_t number) {
  return study.name + "/" + std::to_string(number);
}

namespace {

const std::vector<std::string> kFacts{"state",  "objective", "objective_step", "epochs", "seconds", "attempts",
                                      "worker", "started",   "finished",       "cause",  "message"};

/// Whether a fact other than an objective's value has this name.
bool is_fact(const std::string& name) {
  static const std::set<std::string> kFurther{"members", "standard_error", "low",    "high",     "violation",
                                              "donor",   "peak_memory",    "device", "numerics", "executor"};
  return kFurther.contains(name) || std::find(kFacts.begin(), kFacts.end(), name) != kFacts.end();
}

}  // namespace

std::vector<std::pair<std::string, Json>> facts_beside_params(const OpenedStudy& study, std::int64_t number) {
  require_trial(study, number);
  std::vector<std::pair<std::string, Json>> facts;
  std::string columns;
  for (const std::string& fact : kFacts) columns += (columns.empty() ? "" : ", ") + fact;
  storage::Statement row = study.query("SELECT " + columns + " FROM v_trials WHERE trial = ?");
  row.bind(number).step();
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    if (!row.is_null(int(i))) facts.emplace_back(kFacts[i], cell(row, int(i)));
  }
  if (has_members(study)) {
    storage::Statement mean =
        study.query("SELECT members, standard_error, low, high FROM dl_trial WHERE trial = ? AND low IS NOT NULL");
    const bool is_mean = mean.bind(number).step();
    const char* names[] = {"members", "standard_error", "low", "high"};
    for (int i = 0; is_mean && i < 4; ++i) facts.emplace_back(names[i], cell(mean, i));
  }
  const std::vector<Json> further = further_values(study, number);
  for (std::size_t i = 0; i < further.size(); ++i) {
    const std::string& metric = study.further[i].metric;
    if (!further[i].is_null()) facts.emplace_back(is_fact(metric) ? objective_tag(metric) : metric, further[i]);
  }
  if (study.has_bounds) facts.emplace_back("violation", violation_of(study, number));
  const Json donor = donor_of(study, number);
  if (!donor.is_null()) facts.emplace_back("donor", donor);
  for (auto& fact : machine_facts(study, number)) facts.push_back(std::move(fact));
  for (auto& fact : program_facts(study, number)) facts.push_back(std::move(fact));
  for (auto& fact : executor_facts(study, number)) facts.push_back(std::move(fact));
  return facts;
}

Table facts_of(const OpenedStudy& study, std::int64_t number) {
  Table table{"trial " + trial_name(study, number), {"fact", "value"}, {}};
  for (const auto& [fact, value] : facts_beside_params(study, number)) table.rows.push_back({fact, value});
  const Json params = params_of(study, number);
  for (const auto& [name, value] : params.items()) {
    table.rows.push_back({"param " + name, value.is_structured() ? Json(to_text(value)) : value});
  }
  return table;
}

std::vector<Table> details_of(const OpenedStudy& study, std::int64_t number) {
  require_trial(study, number);
  std::vector<Table> tables;
  if (has_members(study)) {
    tables.push_back(rows_of(study, number, "members", "replicate, fold, objective, objective_step, epochs",
                             "v_members WHERE trial = ? ORDER BY replicate, fold"));
  }
  tables.push_back(rows_of(study, number, "attempts",
                           "replicate, fold, piece, attempt, state, cause, message, worker, started, seconds, peak_rss",
                           "v_attempts WHERE trial = ? ORDER BY replicate, fold, piece, attempt"));
  tables.push_back(metrics_of(study, number));
  if (has_ranks(study)) tables.push_back(ranks_of(study, number));
  tables.push_back(rows_of(study, number, "artifacts",
                           "replicate, fold, piece, attempt, role, step, sha256, bytes, deleted",
                           "v_artifacts WHERE trial = ? ORDER BY replicate, fold, piece, attempt, role, step"));
  tables.push_back(rows_of(study, number, "lineage", lineage_columns(study),
                           "v_edges WHERE trial = ? ORDER BY replicate, fold, piece, attempt, kind"));
  tables.push_back(rows_of(study, number, "decisions", "number, kind, lane, at, \"end\", from_step, to_step, reason",
                           "v_decisions WHERE trial = ? ORDER BY number"));
  tables.back().columns[4] = "end";
  tables.push_back(rows_of(study, number, "notes", "time, text", "v_notes WHERE trial = ? ORDER BY time"));
  tables.push_back(steps_of(study, number));
  tables.push_back(last_lines_of(study, number));
  return tables;
}

std::vector<std::filesystem::path> logs_of(const OpenedStudy& study, const trial::PieceKey& piece, int attempt) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  const auto folder = storage::attempt_path(study.store, study.name, piece, attempt);
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".log" || entry.path().filename() == "log.txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> logs_of(const OpenedStudy& study, std::int64_t number) {
  require_trial(study, number);
  storage::Statement rows = study.query(
      "SELECT replicate, fold, piece, attempt FROM dl_attempt WHERE trial = ? ORDER BY replicate, fold, piece, "
      "attempt");
  rows.bind(number);
  std::vector<std::filesystem::path> files;
  while (rows.step()) {
    const trial::PieceKey key{{trial::TrialId(number), int(rows.integer(0)), int(rows.integer(1))},
                              int(rows.integer(2))};
    for (auto& file : logs_of(study, key, int(rows.integer(3)))) files.push_back(std::move(file));
  }
  return files;
}

std::string log_tail_of(const OpenedStudy& study, std::int64_t number) {
  require_trial(study, number);
  storage::Statement row = study.query(
      "SELECT log_tail FROM dl_attempt WHERE trial = ? AND log_tail IS NOT NULL "
      "ORDER BY started DESC, piece DESC, attempt DESC LIMIT 1");
  return row.bind(number).step() ? std::string(row.text(0)) : std::string();
}

}  // namespace dlrun::report
