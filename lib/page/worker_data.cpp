// SPDX-License-Identifier: Apache-2.0
#include "page/worker_data.hpp"

#include <fmt/format.h>

#include "page/numbers.hpp"
#include "report/study_workers.hpp"

namespace dlrun::page {

namespace {

using trial::AttemptState;

const char* word_of(AttemptState state) {
  switch (state) {
    case AttemptState::running: return "running";
    case AttemptState::completed: return "completed";
    case AttemptState::failed: return "failed";
    case AttemptState::lost: return "lost";
    default: return "cancelled";
  }
}

/// Seconds to the millisecond.
Json seconds(double time) { return data_number(std::stod(fmt::format("{:.3f}", time))); }

Json bar_json(const report::WorkerBar& bar) {
  const std::string trials =
      bar.first == bar.last ? fmt::format("{}", bar.first) : fmt::format("{} … {}", bar.first, bar.last);
  return Json::array({bar.row, seconds(bar.begin), seconds(bar.end), trials, word_of(bar.state)});
}

}  // namespace

Json workers_json(const report::OpenedStudy& study) {
  const report::StudyWorkers work = report::study_workers(study);
  if (work.rows.empty()) return nullptr;
  Json names = Json::array(), idle = Json::array(), bars = Json::array(), cuts = Json::array();
  for (const report::WorkerRow& row : work.rows) {
    names.push_back(row.name);
    idle.push_back(std::stod(fmt::format("{:.3f}", row.idle)));
  }
  for (const report::WorkerBar& bar : work.bars) bars.push_back(bar_json(bar));
  for (const double cut : work.cuts) cuts.push_back(seconds(cut));
  return {{"names", names}, {"idle", idle}, {"bars", std::move(bars)}, {"cuts", cuts}, {"remark", work.remark}};
}

}  // namespace dlrun::page
