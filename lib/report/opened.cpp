// SPDX-License-Identifier: Apache-2.0
#include "report/opened.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::report {

bool OpenedStudy::has_column(std::string_view view, std::string_view column) const {
  storage::Statement row = query("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return row.bind(view, column).step();
}

Json OpenedStudy::spec() const { return parse_json(database->text("SELECT spec FROM dl_study"), "the study's spec"); }

namespace {

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

[[noreturn]] void refuse_unknown(const std::filesystem::path& store, const std::string& name,
                                 const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  throw Error(ErrorKind::not_found, "there is no study '" + name + "' in '" + store.string() + "'",
              near.empty() ? "`dlrun studies` lists them" : "did you mean '" + near + "'? `dlrun studies` lists them");
}

}  // namespace

Snapshot::Snapshot(const OpenedStudy& study) : study_(study) {
  study.database->run("BEGIN");
  study.remembered = std::make_unique<Remembered>();
}

Snapshot::~Snapshot() {
  study_.remembered.reset();
  sqlite3_exec(study_.database->handle(), "COMMIT", nullptr, nullptr, nullptr);
}

std::vector<std::string> chosen(const std::filesystem::path& store, const std::vector<std::string>& studies) {
  const std::vector<std::string> known = storage::study_names(store);
  for (const std::string& name : studies) {
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse_unknown(store, name, known);
  }
  if (!studies.empty()) return studies;
  const std::optional<std::string> last = storage::Store::last(store);
  if (last) return {*last};
  throw Error(ErrorKind::not_found, "there is no study in '" + store.string() + "'",
              "name the folder of the store with --store, or begin one with `dlrun tune study.yaml`");
}

namespace {

/// Reads further objectives and bounds, which only a store of today's schema has.
void take_objectives(OpenedStudy& study) {
  if (!study.has_column("v_trials", "violation")) return;
  storage::Statement spec = study.query("SELECT json_type(spec, '$.feasible') IS NOT NULL FROM dl_study");
  study.has_bounds = spec.step() && spec.integer(0) != 0;
  storage::Statement rows = study.query("SELECT metric, maximize, reference FROM dl_objective ORDER BY objective");
  for (bool is_first = true; rows.step(); is_first = false) {
    std::optional<double> reference;
    if (!rows.is_null(2)) reference = rows.real(2);
    if (is_first) study.reference = reference;
    if (!is_first) study.further.push_back({std::string(rows.text(0)), rows.integer(1) != 0, reference});
  }
}

}  // namespace

OpenedStudy open_study(const std::filesystem::path& store, const std::string& name) {
  OpenedStudy study;
  study.store = store;
  study.name = name;
  study.database = storage::open_for_reading(storage::study_file(store, name, ".db"));
  storage::Statement row = study.query("SELECT metric, maximize FROM dl_study");
  if (!row.step()) throw Error(ErrorKind::store, "'" + study.database->path().string() + "' holds no study");
  study.metric = row.text(0);
  study.maximize = row.integer(1) != 0;
  take_objectives(study);
  return study;
}

namespace {

std::string_view blob_of(sqlite3_stmt* row, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
  return {bytes == nullptr ? "" : bytes, std::size_t(sqlite3_column_bytes(row, column))};
}

Json row_cell(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER: return sqlite3_column_int64(row, column);
    case SQLITE_FLOAT: return sqlite3_column_double(row, column);
    case SQLITE_TEXT: return std::string(blob_of(row, column));
    case SQLITE_BLOB: return hex(blob_of(row, column));
    default: return nullptr;
  }
}

}  // namespace

Json cell(storage::Statement& row, int column) { return row_cell(row.handle(), column); }

std::vector<Json> row_cells(sqlite3_stmt* row) {
  std::vector<Json> all;
  const int count = sqlite3_column_count(row);
  all.reserve(std::size_t(count));
  for (int i = 0; i < count; ++i) all.push_back(row_cell(row, i));
  return all;
}

std::vector<Json> cells(storage::Statement& row) { return row_cells(row.handle()); }

Table table_of(storage::Statement query, std::string title, std::vector<std::string> columns) {
  Table table{std::move(title), std::move(columns), {}};
  while (query.step()) table.rows.push_back(cells(query));
  return table;
}

void require_trial(const OpenedStudy& study, std::int64_t number) {
  storage::Statement row = study.query("SELECT 1 FROM dl_trial WHERE trial = ?");
  if (row.bind(number).step()) return;
  storage::Statement last = study.query("SELECT max(trial) FROM dl_trial");
  const bool is_empty = !last.step() || last.is_null(0);
  throw Error(ErrorKind::not_found, "study '" + study.name + "' has no trial " + std::to_string(number),
              is_empty ? "it has none yet" : "its trials are 0 to " + std::to_string(last.integer(0)));
}

}  // namespace dlrun::report
