// SPDX-License-Identifier: Apache-2.0
#include "report/study_workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace dlrun::report {

namespace {

using trial::AttemptState;

constexpr std::size_t kMostWorkers = 60;
constexpr std::size_t kMostCuts = 30;  // more would be all that one sees
constexpr double kAxisPixels = 650;    // length of the time axis, about
constexpr double kMillisecond = 1e-3;

/// Milliseconds of UTC.
struct TimeSpan {
  std::int64_t begin = 0, end = 0;
  void widen(std::int64_t first, std::int64_t last) {
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
};

struct Execution {
  std::int64_t driver = 0, worker = 0, trial = 0;
  TimeSpan span;
  AttemptState state = AttemptState::running;
};

using WorkerKey = std::pair<std::int64_t, std::int64_t>;  // driver, worker

/// Executions of workers, and how long each worker was there.
struct WorkRecord {
  std::vector<Execution> executions;  ///< by their begin
  std::map<WorkerKey, TimeSpan> lives;
  std::map<std::int64_t, TimeSpan> runs;      ///< by driver
  std::map<std::int64_t, std::string> names;  ///< by worker
};

void widen_life(std::map<WorkerKey, TimeSpan>& lives, const WorkerKey& key, const TimeSpan& span) {
  lives.emplace(key, span).first->second.widen(span.begin, span.end);
}

/// An attempt that still runs ends, here, with the last that is known.
void read_executions(const OpenedStudy& study, WorkRecord& record) {
  const std::int64_t last = study.database->integer(
      "SELECT coalesce(max(max(coalesce(started, 0), coalesce(finished, 0))), 0) FROM dl_attempt");
  storage::Statement rows = study.query(
      "SELECT epoch, worker, started, finished, state, trial FROM dl_attempt WHERE worker IS NOT NULL AND started IS "
      "NOT NULL "
      "ORDER BY started, worker");
  while (rows.step()) {
    const std::int64_t begin = rows.integer(2);
    const TimeSpan span{begin, std::max(begin, rows.is_null(3) ? last : rows.integer(3))};
    record.executions.push_back(
        {rows.integer(0), rows.integer(1), rows.integer(5), span, AttemptState(rows.integer(4))});
    widen_life(record.lives, {rows.integer(0), rows.integer(1)}, span);
  }
}

void read_workers(const OpenedStudy& study, WorkRecord& record) {
  std::set<std::string> hosts;
  std::map<std::int64_t, std::string> host_of;
  storage::Statement rows =
      study.query("SELECT epoch, worker, started, changed, coalesce(host, '') FROM dl_worker ORDER BY epoch, worker");
  while (rows.step()) {
    hosts.insert(std::string(rows.text(4)));
    host_of[rows.integer(1)] = rows.text(4);
    if (rows.is_null(2)) continue;
    const std::int64_t begin = rows.integer(2);
    widen_life(record.lives, {rows.integer(0), rows.integer(1)}, {begin, rows.is_null(3) ? begin : rows.integer(3)});
  }
  for (const auto& [key, life] : record.lives) {
    const std::string& host = host_of[key.second];
    record.names[key.second] = fmt::format("worker {}", key.second) + (hosts.size() > 1 ? " on " + host : "");
    record.runs.emplace(key.first, life).first->second.widen(life.begin, life.end);
  }
}

/// Time in seconds while a driver ran, without that between two drivers.
class DriverClock {
 public:
  explicit DriverClock(const std::map<std::int64_t, TimeSpan>& runs) {
    for (const auto& [driver, run] : runs) {
      origins_[driver] = double(run.begin) - end_ / kMillisecond;
      if (end_ > 0) cuts_.push_back(end_);
      end_ += double(run.end - run.begin) * kMillisecond;
    }
  }
  double at(std::int64_t driver, std::int64_t time) const {
    return (double(time) - origins_.at(driver)) * kMillisecond;
  }
  double end() const { return std::max(end_, kMillisecond); }
  const std::vector<double>& cuts() const { return cuts_; }

 private:
  std::map<std::int64_t, double> origins_;
  std::vector<double> cuts_;
  double end_ = 0;
};

/// Bars of one worker, in their order; those of a state that are nearer than `gap` are one.
std::vector<WorkerBar> joined(const std::vector<WorkerBar>& bars, double gap) {
  std::map<std::pair<std::size_t, AttemptState>, WorkerBar> open;
  std::vector<WorkerBar> out;
  for (const WorkerBar& bar : bars) {
    const auto [last, is_new] = open.emplace(std::pair(bar.row, bar.state), bar);
    if (is_new) continue;
    if (bar.begin <= last->second.end + gap) {
      last->second.end = std::max(last->second.end, bar.end);
      last->second.last = bar.last;
      continue;
    }
    out.push_back(last->second);
    last->second = bar;
  }
  for (const auto& [key, bar] : open) out.push_back(bar);
  return out;
}

/// At most kMostMarks bars, and the longest gap between two attempts that are one bar.
struct ShownBars {
  std::vector<WorkerBar> bars;
  double gap = 0;
};

ShownBars shown_bars(const std::vector<WorkerBar>& bars, double end) {
  const double pixel = end / kAxisPixels;
  ShownBars shown{bars, 0};
  while (shown.bars.size() > kMostMarks) {
    shown.gap = std::max(pixel, 2 * shown.gap);
    shown.bars = joined(bars, shown.gap);
  }
  return shown;
}

/// Part of a worker's time, over all drivers, in which it had nothing.
struct WorkerUse {
  double busy = 0, there = 0;
  void add(const WorkerUse& other) { busy += other.busy, there += other.there; }
  double idle() const { return there > 0 ? std::max(0.0, 1 - busy / there) : 0; }
};

std::vector<WorkerUse> use_of(const WorkRecord& record, const std::vector<WorkerBar>& bars,
                              const std::map<std::int64_t, std::size_t>& row_of) {
  std::vector<WorkerUse> use(row_of.size());
  for (const auto& [key, life] : record.lives)
    use[row_of.at(key.second)].there += double(life.end - life.begin) * kMillisecond;
  std::vector<WorkerBar> any = bars;
  for (WorkerBar& bar : any) bar.state = AttemptState::completed;
  for (const WorkerBar& bar : joined(any, 0)) use[bar.row].busy += bar.end - bar.begin;
  return use;
}

TimeUnit unit_for(double end) {
  constexpr double kMinute = 60, kHour = 3'600;
  if (end > 3 * kHour) return {"hours", kHour};
  return end > 3 * kMinute ? TimeUnit{"minutes", kMinute} : TimeUnit{};
}

std::string remark_of(const WorkRecord& record, const std::vector<WorkerUse>& use, const DriverClock& clock,
                      const TimeUnit& unit) {
  WorkerUse all;
  for (const WorkerUse& one : use) all.add(one);
  std::string text = fmt::format("{} attempt{} on {} worker{} in {:.3g} {}, {:.0f} % of their time idle",
                                 record.executions.size(), record.executions.size() == 1 ? "" : "s", use.size(),
                                 use.size() == 1 ? "" : "s", clock.end() / unit.seconds, unit.word, 100 * all.idle());
  if (record.runs.size() > 1) text += fmt::format("; {} runs, the time between them is left out", record.runs.size());
  return use.size() > kMostWorkers ? text + fmt::format("; {} workers are drawn", kMostWorkers) : text;
}

/// Bars of all workers by their begin, in the drivers' time.
std::vector<WorkerBar> bars_of(const WorkRecord& record, const DriverClock& clock,
                               const std::map<std::int64_t, std::size_t>& row_of) {
  std::vector<WorkerBar> bars;
  for (const Execution& one : record.executions)
    bars.push_back({row_of.at(one.worker), one.state, clock.at(one.driver, one.span.begin),
                    clock.at(one.driver, one.span.end), one.trial, one.trial});
  return bars;
}

StudyWorkers worked(const WorkRecord& record) {
  const DriverClock clock(record.runs);
  std::map<std::int64_t, std::size_t> row_of;
  for (const auto& [worker, name] : record.names) row_of.emplace(worker, row_of.size());
  std::vector<WorkerBar> bars = bars_of(record, clock, row_of);
  const std::vector<WorkerUse> use = use_of(record, bars, row_of);
  StudyWorkers out{{}, {}, {}, clock.end(), unit_for(clock.end()), {}, {}};
  out.remark = remark_of(record, use, clock, out.unit);
  for (const auto& [worker, row] : row_of) {
    if (row < kMostWorkers) out.rows.push_back({record.names.at(worker), use[row].idle()});
  }
  std::erase_if(bars, [](const WorkerBar& bar) { return bar.row >= kMostWorkers; });
  ShownBars shown = shown_bars(bars, clock.end());
  if (shown.gap > 0)
    out.remark += fmt::format("; gaps up to {:.2g} {} are not drawn", shown.gap / out.unit.seconds, out.unit.word);
  out.bars = std::move(shown.bars);
  if (clock.cuts().size() <= kMostCuts) out.cuts = clock.cuts();
  return out;
}

}  // namespace

StudyWorkers study_workers(const OpenedStudy& study) {
  StudyWorkers none;
  const std::string kind =
      study.database->text("SELECT coalesce(json_extract(spec, '$.trial.kind'), '') FROM dl_study");
  if (kind == "asked") {
    none.missing = "its trials are carried out by those who ask for them, not by workers";
    return none;
  }
  WorkRecord record;
  read_executions(study, record);
  none.missing = "no worker has carried an attempt";
  if (record.executions.empty()) return none;
  read_workers(study, record);
  return worked(record);
}

}  // namespace dlrun::report
