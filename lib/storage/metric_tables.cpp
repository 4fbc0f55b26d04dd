// SPDX-License-Identifier: Apache-2.0
#include "storage/metric_tables.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "storage/clock.hpp"

namespace dlrun::storage {

namespace {

/// JSON and SQL lack them: NULL in value, the name in kind. nullopt: finite.
std::optional<std::string_view> kind_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return std::nullopt;
}

/// Equality of results is equality of bits; SQLite stores -0.0 as 0.0, and all NaNs as one.
bool is_same(double value, const Statement& row) {
  const auto kind = kind_of(value);
  if (kind) return !row.is_null(1) && row.text(1) == *kind;
  return !row.is_null(0) && row.real(0) == value;
}

std::string text_of(const Statement& row) {
  return row.is_null(0) ? std::string(row.text(1)) : fmt::format("{}", row.real(0));
}

constexpr std::size_t kMostTold = 100;  ///< divergences that are kept in memory; the table has them all

constexpr std::string_view kWhere = " WHERE trial = ? AND replicate = ? AND fold = ? AND step = ? AND metric = ?";

}  // namespace

double stored_value(const Statement& row, int column) {
  if (!row.is_null(column)) return row.real(column);
  if (row.text(column + 1) == "inf") return std::numeric_limits<double>::infinity();
  if (row.text(column + 1) == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

MetricTables::MetricTables(Database& database)
    : database_(database),
      insert_(database.prepare("INSERT OR IGNORE INTO dl_metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      earlier_(database.prepare(fmt::format("SELECT value, kind FROM dl_metric{}", kWhere))),
      confirm_(database.prepare("UPDATE dl_metric SET value = ?6, kind = ?7, attempt = ?8, committed = 1 WHERE "
                                "trial = ?1 AND replicate = ?2 AND fold = ?3 AND step = ?4 AND metric = ?5")),
      diverge_(database.prepare("INSERT INTO dl_divergence (trial, replicate, fold, step, metric, attempt, first, "
                                "later, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      forget_(database.prepare(
          "DELETE FROM dl_metric WHERE trial = ?1 AND replicate = ?2 AND fold = ?3 AND attempt <> ?4 AND step > "
          "coalesce((SELECT epochs FROM dl_member WHERE trial = ?1 AND replicate = ?2 AND fold = ?3), "
          "(SELECT epochs FROM dl_trial WHERE trial = ?1), 0)")),
      artifact_(database.prepare("INSERT OR REPLACE INTO dl_artifact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)")),
      drop_(database.prepare("UPDATE dl_artifact SET deleted = ? WHERE trial = ? AND replicate = ? AND fold = ? AND "
                             "piece = ? AND sha256 = ?")),
      step_(database.prepare("INSERT OR REPLACE INTO dl_step VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
  reload();
}

void MetricTables::reload() {
  ids_.clear();
  Statement names = database_.prepare("SELECT name, metric FROM dl_metric_name");
  while (names.step()) ids_[std::string(names.text(0))] = names.integer(1);
}

std::int64_t MetricTables::id_of(const std::string& name) {
  const auto known = ids_.find(name);
  if (known != ids_.end()) return known->second;
  const auto id = std::int64_t(ids_.size());
  database_.prepare("INSERT INTO dl_metric_name VALUES (?, ?)").run(id, name);
  return ids_[name] = id;
}

void MetricTables::add_report(const Reporter& who, const trial::Report& report, bool committed) {
  for (const trial::Metric& metric : report.metrics) add_value(who, report.step, metric, committed);
}

void MetricTables::forget_others(const Reporter& who) {
  const trial::Member& m = who.key.member;
  forget_.run(m.trial.value, m.replicate, m.fold, who.attempt);
}

void MetricTables::drop(const trial::PieceKey& key, const std::string& sha256) {
  const trial::Member& m = key.member;
  drop_.run(now_ms(), m.trial.value, m.replicate, m.fold, key.piece, sha256);
}

void MetricTables::add_step(const Reporter& who, const trial::Report& report) {
  const trial::Member& m = who.key.member;
  for (const trial::Metric& metric : report.metrics) {
    step_.run(m.trial.value, m.replicate, m.fold, report.step, id_of(metric.name), metric.value, kind_of(metric.value),
              who.attempt);
  }
}

void MetricTables::add_value(const Reporter& who, std::int64_t step, const trial::Metric& metric, bool committed) {
  const trial::Member& m = who.key.member;
  const int added = insert_.run(m.trial.value, m.replicate, m.fold, step, id_of(metric.name), metric.value,
                                kind_of(metric.value), who.attempt, committed);
  if (added == 0) meet_earlier(who, step, metric, committed);
}

void MetricTables::meet_earlier(const Reporter& who, std::int64_t step, const trial::Metric& metric, bool committed) {
  const trial::Member& m = who.key.member;
  const std::int64_t id = id_of(metric.name);
  if (!earlier_.bind(m.trial.value, m.replicate, m.fold, step, id).step()) return;
  if (!is_varying_ && !is_same(metric.value, earlier_)) {
    const std::string first = text_of(earlier_);
    const std::string later = fmt::format("{}", metric.value);
    diverge_.run(m.trial.value, m.replicate, m.fold, step, id, who.attempt, first, later, now_ms());
    if (divergences_.size() < kMostTold) {
      divergences_.push_back(
          fmt::format("trial {}, attempt {}: {} at step {} is {}, but an earlier attempt measured {}", m.trial.value,
                      who.attempt, metric.name, step, later, first));
    }
  }
  earlier_.reset();
  if (!committed) return;
  confirm_.run(m.trial.value, m.replicate, m.fold, step, id, metric.value, kind_of(metric.value), who.attempt);
}

void MetricTables::add_artifact(const Reporter& who, const trial::Artifact& a) {
  const trial::Member& m = who.key.member;
  artifact_.run(m.trial.value, m.replicate, m.fold, who.key.piece, who.attempt, a.role, a.step, a.sha256, a.bytes);
}

}  // namespace dlrun::storage
