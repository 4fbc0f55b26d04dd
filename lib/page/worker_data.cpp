// SPDX-License-Identifier: Apache-2.0
#include "page/worker_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace dlrun::page {

namespace {

using report::OpenedStudy;

constexpr std::size_t kMostBars = 2'000;
constexpr double kFinest = 1e-3;  ///< share of the whole time below which a gap cannot be seen

struct Bar {
  std::size_t row = 0;
  double begin = 0, end = 0;
  std::int64_t first = 0, last = 0;  ///< trials
  std::string state;
};

struct Work {
  std::vector<std::string> names;
  std::vector<Bar> bars;  ///< by row, then by time
  double end = 0;
};

constexpr const char* kAttempts =
    "SELECT a.worker, (a.started - t.least) / 1000.0, "
    "(coalesce(a.finished, t.most) - t.least) / 1000.0, a.trial, "
    "CASE a.state WHEN 0 THEN 'running' WHEN 1 THEN 'completed' WHEN 2 THEN 'failed' WHEN 3 THEN 'lost' ELSE "
    "'cancelled' "
    "END "
    "FROM dl_attempt a, (SELECT min(started) AS least, max(coalesce(finished, started)) AS most FROM dl_attempt) t "
    "WHERE a.worker IS NOT NULL AND a.started IS NOT NULL ORDER BY a.worker, a.started, a.trial";

Work work_of(const OpenedStudy& study) {
  Work work;
  storage::Statement rows = study.query(kAttempts);
  std::optional<std::int64_t> last;
  while (rows.step()) {
    const std::int64_t worker = rows.integer(0), trial = rows.integer(3);
    if (last != worker) work.names.push_back(fmt::format("worker {}", worker));
    last = worker;
    const double begin = rows.real(1), end = std::max(begin, rows.real(2));
    work.bars.push_back({work.names.size() - 1, begin, end, trial, trial, std::string(rows.text(4))});
    work.end = std::max(work.end, end);
  }
  return work;
}

/// Share of the time between a worker's first start and its last end in which it had an attempt; all workers together.
double busy_share(const Work& work) {
  double busy = 0, whole = 0;
  std::optional<Bar> span;
  const auto close = [&] { whole += span ? span->end - span->begin : 0; };
  for (const Bar& bar : work.bars) {
    if (!span || span->row != bar.row) {
      close();
      span = bar;
      busy += bar.end - bar.begin;
      continue;
    }
    busy += std::max(0.0, bar.end - std::max(bar.begin, span->end));
    span->end = std::max(span->end, bar.end);
  }
  close();
  return whole > 0 ? busy / whole : 1;
}

/// Bars that nearly touch as one, if there are too many.
std::vector<Bar> joined(const Work& work) {
  if (work.bars.size() <= kMostBars) return work.bars;
  std::vector<Bar> out;
  for (const Bar& bar : work.bars) {
    Bar* last = out.empty() ? nullptr : &out.back();
    if (last != nullptr && last->row == bar.row && last->state == bar.state &&
        bar.begin - last->end < kFinest * work.end) {
      last->end = std::max(last->end, bar.end);
      last->last = bar.last;
    } else {
      out.push_back(bar);
    }
  }
  return out;
}

Json bar_json(const Bar& bar) {
  const auto rounded = [](double seconds) { return std::stod(fmt::format("{:.3f}", seconds)); };
  const std::string trials =
      bar.first == bar.last ? fmt::format("{}", bar.first) : fmt::format("{} … {}", bar.first, bar.last);
  return Json::array({bar.row, rounded(bar.begin), rounded(bar.end), trials, bar.state});
}

}  // namespace

Json workers_json(const OpenedStudy& study) {
  const Work work = work_of(study);
  if (work.bars.empty()) return nullptr;
  Json bars = Json::array();
  for (const Bar& bar : joined(work)) bars.push_back(bar_json(bar));
  const std::string remark =
      fmt::format("{} worker{}, busy {:.0f} % of the time from the first start of each to its last end; {} attempts",
                  work.names.size(), work.names.size() == 1 ? "" : "s", 100 * busy_share(work), work.bars.size());
  return {{"names", work.names}, {"bars", std::move(bars)}, {"remark", remark}};
}

}  // namespace dlrun::page
