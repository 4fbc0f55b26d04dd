// SPDX-License-Identifier: Apache-2.0
#include "storage/start_tables.hpp"

#include "util/json.hpp"

namespace dlrun::storage {

namespace {

std::optional<std::string> or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> shape_text(const std::vector<std::int64_t>& shape, bool is_known) {
  return is_known ? std::optional(to_text(Json(shape))) : std::nullopt;
}

}  // namespace

StartTables::StartTables(Database& database)
    : clear_(database.prepare("DELETE FROM dl_start WHERE trial = ? AND replicate = ? AND fold = ?")),
      clear_notes_(database.prepare("DELETE FROM dl_start_note WHERE trial = ? AND replicate = ? AND fold = ?")),
      tensor_(database.prepare("INSERT INTO dl_start VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      note_(database.prepare("INSERT INTO dl_start_note VALUES (?, ?, ?, ?, ?)")) {}

void StartTables::add_start(const trial::Member& m, const trial::WeightStart& start) {
  clear_.run(m.trial.value, m.replicate, m.fold);
  clear_notes_.run(m.trial.value, m.replicate, m.fold);
  std::int64_t number = 0;
  for (const trial::TensorStart& t : start.tensors) {
    tensor_.run(m.trial.value, m.replicate, m.fold, number++, t.name, t.rule, or_null(t.donor), or_null(t.source),
                shape_text(t.from, !t.donor.empty()), shape_text(t.to, t.rule != "skipped"));
  }
  number = 0;
  for (const std::string& note : start.notes) note_.run(m.trial.value, m.replicate, m.fold, number++, note);
}

}  // namespace dlrun::storage
