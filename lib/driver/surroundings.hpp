// SPDX-License-Identifier: Apache-2.0
// Surroundings of a run, except for its store: time, workers, signals, a person's screen, energy counters.
#pragma once
#include <memory>
#include <vector>

#include "driver/clock.hpp"
#include "driver/driver.hpp"
#include "driver/signals.hpp"
#include "energy/counter.hpp"
#include "executor/executor.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// The references outlive the run.
struct Surroundings {
  const Clock& clock;
  executor::Executor& executor;
  const Signals& signals;
  Display& display;
  std::vector<std::unique_ptr<energy::Counter>> counters = {};
  storage::Environment environment = {};  ///< recorded when the run begins
  double gpu_share = 0;                   ///< gpus_of_worker()
};

}  // namespace dlrun::driver
