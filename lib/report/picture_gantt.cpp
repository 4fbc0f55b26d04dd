// SPDX-License-Identifier: Apache-2.0
// Workers and their attempts over the time that drivers ran.
#include <fmt/format.h>

#include <algorithm>

#include "plot/gantt.hpp"
#include "report/picture_trials.hpp"
#include "report/study_workers.hpp"

namespace dlrun::report {

namespace {

using trial::AttemptState;

constexpr double kPixels = 650;  // length of the time axis, about

enum WorkGroup { kDone, kFailed, kLost, kRunning };

std::vector<plot::Group> state_groups() {
  using plot::Shape;
  return {{"completed", plot::kBlue, Shape::square},
          {"failed", plot::kVermilion, Shape::square},
          {"lost or cancelled", plot::kPurple, Shape::square},
          {"running", plot::kGreen, Shape::square}};
}

WorkGroup group_of(AttemptState state) {
  if (state == AttemptState::completed) return kDone;
  if (state == AttemptState::failed) return kFailed;
  return state == AttemptState::running ? kRunning : kLost;
}

/// A little shorter than the time, so that two bars that follow one another can be told apart.
plot::Bar drawn_bar(const WorkerBar& bar, const StudyWorkers& work) {
  const double end = bar.end - std::min(work.end / kPixels, 0.3 * (bar.end - bar.begin));
  return {bar.row, std::size_t(group_of(bar.state)), bar.begin / work.unit.seconds, end / work.unit.seconds};
}

}  // namespace

PictureOrReason gantt_picture(const OpenedStudy& study, const PictureWishes&) {
  const StudyWorkers work = study_workers(study);
  if (work.rows.empty()) return {std::nullopt, work.missing};
  plot::Gantt chart{file_name(study, "gantt"),
                    fmt::format("Workers of {} and their attempts", short_name(study)),
                    work.remark,
                    work.unit.word,
                    work.end / work.unit.seconds,
                    state_groups(),
                    {},
                    {}};
  for (const WorkerRow& row : work.rows) chart.rows.push_back({row.name, fmt::format("{:.0f} % idle", 100 * row.idle)});
  for (const WorkerBar& bar : work.bars) chart.bars.push_back(drawn_bar(bar, work));
  for (const double cut : work.cuts) chart.cuts.push_back(cut / work.unit.seconds);
  return {plot::gantt(chart)};
}

}  // namespace dlrun::report
