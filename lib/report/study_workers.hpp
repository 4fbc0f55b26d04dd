// SPDX-License-Identifier: Apache-2.0
// Workers of a study and their attempts over the time that drivers ran. Pictures and pages show the same.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "report/opened.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

/// An attempt, or several of one worker and state between which no gap could be seen. Seconds of the drivers' time.
struct WorkerBar {
  std::size_t row = 0;
  trial::AttemptState state = trial::AttemptState::running;
  double begin = 0, end = 0;
  std::int64_t first = 0, last = 0;  ///< trials
};

struct WorkerRow {
  std::string name;
  double idle = 0;  ///< share of its time, over all drivers, in which it had nothing
};

/// Word for a unit of time, and its length in seconds.
struct TimeUnit {
  const char* word = "seconds";
  double seconds = 1;
};

/// Workers of the same number are one row, whichever driver started them.
struct StudyWorkers {
  std::vector<WorkerRow> rows;
  std::vector<WorkerBar> bars;  ///< at most kMostMarks
  std::vector<double> cuts;     ///< places where time between two drivers was left out; none if there are many
  double end = 0;
  TimeUnit unit;        ///< suits the length
  std::string remark;   ///< attempts, workers, idle time, and parts that are not shown
  std::string missing;  ///< reason why there are no rows
};

StudyWorkers study_workers(const OpenedStudy& study);

}  // namespace dlrun::report
