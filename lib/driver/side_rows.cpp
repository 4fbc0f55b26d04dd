// SPDX-License-Identifier: Apache-2.0
#include "driver/side_rows.hpp"

#include <algorithm>
#include <utility>

namespace dlrun::driver {

namespace {

void write(storage::Store& store, const StartRow& row) {
  const auto& [piece, attempt] = row.attempt;
  if (row.goes_on) return store.attempts().go_on(piece, attempt, row.worker);
  store.attempts().start({piece, attempt, row.worker, row.resume, row.partial, row.donor, row.copy_of});
  store.attempts().start_from(piece, attempt, row.weights);
}

void write(storage::Store& store, const Remark& remark) {
  if (remark.is_tag) {
    store.tag(remark.trial, remark.text, remark.is_removed);
  } else {
    store.note(remark.trial, remark.text);
  }
}

/// A warning, where an earlier run of the study computed with something else; empty: it did not.
std::string write(storage::Store& store, const RuntimeRow& row) {
  const std::string earlier = store.opening().runtime(row.worker, row.runtime);
  if (earlier.empty()) return {};
  return "warning: this run computes with " + row.runtime.numerics + ", an earlier one of this study with " + earlier +
         ": equal trials may differ in their last bits";
}

}  // namespace

bool SideRows::is_due(Clock::time_point now) const {
  const bool is_old = oldest_ && now - *oldest_ >= kGroup;
  return is_old || !workers_.empty() || !runtimes_.empty() || starts_.size() >= kMostStarts;
}

std::chrono::milliseconds SideRows::patience(Clock::time_point now) const {
  if (!oldest_) return kGroup;
  return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(*oldest_ + kGroup - now));
}

std::vector<std::string> SideRows::write(storage::Store& store) {
  std::vector<std::string> warnings;
  for (const WorkerRow& row : workers_) store.opening().worker(row.number, row.pid, row.host, row.state);
  for (const RuntimeRow& row : runtimes_) {
    std::string warning = driver::write(store, row);
    if (!warning.empty() && !std::exchange(has_told_numerics_, true)) warnings.push_back(std::move(warning));
  }
  for (const StartRow& row : starts_) driver::write(store, row);
  for (const auto& row : reports_) store.attempts().telemetry(row.attempt.piece, row.attempt.attempt, row.report);
  for (const auto& row : curves_) {
    store.attempts().steps(row.attempt.piece, row.attempt.attempt, row.reports);
    store.attempts().gangs(row.attempt.piece, row.attempt.attempt, row.gangs);
  }
  for (const Remark& row : remarks_) driver::write(store, row);
  for (const Remark& row : quiet_notes_) driver::write(store, row);
  for (const RepairRow& row : repairs_)
    store.attempts().repair(row.piece.piece, row.piece.attempt, row.epochs, row.seconds);
  for (const Metering::Taken& row : energy_)
    store.attempts().energy(row.attempt.piece, row.attempt.attempt, row.source, row.joules);
  *this = SideRows(has_told_numerics_);
  return warnings;
}

}  // namespace dlrun::driver
