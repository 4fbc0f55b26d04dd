// SPDX-License-Identifier: Apache-2.0
#include "storage/verify_rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "trial/trial.hpp"

namespace dlrun::storage {

namespace {

/// Whether a column has the value that the log has.
bool is_value(const Statement& row, int column, const space::Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return !row.is_null(column) && row.real(column) == *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return row.integer(column) == *whole;
  if (const auto* choice = std::get_if<space::Choice>(&value)) return row.integer(column) == choice->index;
  return false;
}

bool is_metric(const Statement& row, double value) {
  return std::isfinite(value) ? !row.is_null(0) && row.real(0) == value : row.is_null(0);
}

std::size_t active_count(const space::Values& values) {
  std::size_t count = 0;
  for (const space::Value& value : values) count += std::holds_alternative<std::monostate>(value) ? 0 : 1;
  return count;
}

}  // namespace

RowCheck::RowCheck(Database& database)
    : database_(database),
      decision_(database.prepare("SELECT kind, lane, at, \"end\", coalesce(trial, -1), coalesce(replicate, 0), "
                                 "coalesce(fold, 0), coalesce(piece, 0), from_step, to_step, coalesce(reason, '') FROM "
                                 "dl_decision WHERE number = ?")),
      params_(database.prepare("SELECT parameter, value FROM dl_param WHERE trial = ?")),
      metric_(database.prepare("SELECT m.value, m.attempt FROM dl_metric m JOIN dl_metric_name n USING (metric) WHERE "
                               "m.trial = ? AND m.replicate = ? AND m.fold = ? AND m.step = ? AND n.name = ? AND "
                               "m.committed = 1")),
      artifact_(
          database.prepare("SELECT sha256, bytes FROM dl_artifact WHERE trial = ? AND replicate = ? AND fold = ? AND "
                           "piece = ? AND attempt = ? AND role = ? AND step = ?")),
      start_(database.prepare(
          "SELECT tensor, rule, coalesce(artifact, '') FROM dl_start WHERE trial = ? AND replicate = ? "
          "AND fold = ? ORDER BY number")) {}

void RowCheck::compare(const LogRow& row) {
  if (const auto* decision = std::get_if<study::Decision>(&row)) return compare(*decision);
  const auto& event = std::get<study::Event>(row);
  if (const auto* ended = std::get_if<study::PieceEnded>(&event)) compare(ended->result);
  const auto* test = std::get_if<study::TestMeasured>(&event);
  if (test == nullptr) return;
  for (const trial::Report& report : test->result.reports) compare(test->result, report);
}

void RowCheck::compare(const study::Decision& d) {
  ++decisions_;
  const trial::Member& m = d.key.member;
  const bool has_trial = m.trial.exists();
  Statement& row = decision_.bind(d.number);
  const bool is_equal = row.step() && row.integer(0) == int(d.kind) && row.integer(1) == d.lane &&
                        row.integer(2) == d.at && row.integer(3) == d.end &&
                        row.integer(4) == (has_trial ? std::int64_t(m.trial.value) : -1) &&
                        row.integer(5) == (has_trial ? m.replicate : 0) && row.integer(6) == (has_trial ? m.fold : 0) &&
                        row.integer(7) == (has_trial ? d.key.piece : 0) && row.integer(8) == d.from_step &&
                        row.integer(9) == d.to_step && row.text(10) == d.reason;
  if (!is_equal) faults_.push_back(fmt::format("decision {} is not what the log says", d.number));
  row.reset();
  if (d.kind == study::DecisionKind::start) compare_params(d);
}

void RowCheck::compare_params(const study::Decision& d) {
  const std::int64_t trial = d.key.member.trial.value;
  std::size_t found = 0;
  params_.bind(trial);
  while (params_.step()) {
    const auto index = static_cast<std::size_t>(params_.integer(0));
    // Parameters that an amendment gave the trial later stand behind those that it began with.
    if (index >= d.values.size()) continue;
    found += is_value(params_, 1, d.values[index]) ? 1 : 0;
  }
  if (found != active_count(d.values))
    faults_.push_back(fmt::format("the parameters of trial {} are not what the log says", trial));
}

void RowCheck::compare(const trial::PieceResult& result) {
  missing_.erase(result.key);
  for (const trial::Report& report : result.reports) compare(result, report);
  for (const trial::Artifact& artifact : result.artifacts) compare(result, artifact);
  if (result.start) compare(result.key.member, *result.start);
}

/// The values of a piece's last result count; those of attempts that failed before may stand nowhere.
void RowCheck::compare(const trial::PieceResult& result, const trial::Report& report) {
  const trial::Member& m = result.key.member;
  for (const trial::Metric& metric : report.metrics) {
    metric_.bind(m.trial.value, m.replicate, m.fold, report.step, metric.name);
    const bool is_there = metric_.step();
    if (is_there && metric_.integer(1) != result.attempt) continue;
    metrics_ += is_there ? 1 : 0;
    if (is_there && is_metric(metric_, metric.value)) continue;
    std::vector<std::string>& faults = is_there ? faults_ : missing_[result.key];
    faults.push_back(fmt::format("{} of {} at epoch {} is not what the log says, {}", metric.name, trial::describe(m),
                                 report.step, metric.value));
  }
}

void RowCheck::compare(const trial::PieceResult& result, const trial::Artifact& artifact) {
  const trial::Member& m = result.key.member;
  artifact_.bind(m.trial.value, m.replicate, m.fold, result.key.piece, result.attempt, artifact.role, artifact.step);
  const bool is_there = artifact_.step();
  artifacts_ += is_there ? 1 : 0;
  if (!is_there || artifact_.text(0) != artifact.sha256 || artifact_.integer(1) != artifact.bytes) {
    faults_.push_back(fmt::format("the {} of {} at epoch {} is not what the log says, {}", artifact.role,
                                  trial::describe(m), artifact.step, artifact.sha256));
  }
  artifact_.reset();
}

/// Compares the first weights of a member; attempts that were tried again have left the same rows.
void RowCheck::compare(const trial::Member& m, const trial::WeightStart& start) {
  start_.bind(m.trial.value, m.replicate, m.fold);
  std::size_t number = 0;
  bool is_equal = true;
  for (; start_.step() && number < start.tensors.size(); ++number) {
    const trial::TensorStart& tensor = start.tensors[number];
    is_equal =
        is_equal && start_.text(0) == tensor.name && start_.text(1) == tensor.rule && start_.text(2) == tensor.donor;
  }
  start_.reset();
  if (!is_equal || number != start.tensors.size())
    faults_.push_back(fmt::format("the first weights of {} are not what the log says", trial::describe(m)));
}

void RowCheck::finish() {
  for (const auto& [piece, faults] : missing_) faults_.insert(faults_.end(), faults.begin(), faults.end());
  require_count("decisions", "dl_decision", decisions_);
  require_count("values of metrics", "dl_metric WHERE committed = 1", metrics_);
  require_count("artifacts", "dl_artifact", artifacts_);
  for (const char* table : {"dl_param", "dl_attempt", "dl_metric", "dl_artifact", "dl_member", "dl_edge", "dl_start",
                            "dl_energy", "dl_gang_node"})
    require_trials(table);
}

void RowCheck::require_count(const char* what, const char* table, std::int64_t seen) {
  const std::int64_t count = database_.integer(fmt::format("SELECT count(*) FROM {}", table));
  if (count > seen) faults_.push_back(fmt::format("{} of {} {} are in no row of the log", count - seen, count, what));
}

void RowCheck::require_trials(const char* table) {
  Statement found = database_.prepare("SELECT 1 FROM sqlite_master WHERE name = ?");
  if (!found.bind(table).step()) return;  // an earlier schema
  const std::int64_t count =
      database_.integer(fmt::format("SELECT count(*) FROM {} WHERE trial NOT IN (SELECT trial FROM dl_trial)", table));
  if (count > 0) faults_.push_back(fmt::format("{} rows of {} belong to no trial", count, table));
}

}  // namespace dlrun::storage
