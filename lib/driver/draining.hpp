// SPDX-License-Identifier: Apache-2.0
// When and how a run ends.
#pragma once
#include <string>

#include "driver/dispatcher.hpp"
#include "driver/driver.hpp"
#include "driver/ending.hpp"
#include "driver/incoming.hpp"
#include "driver/outage.hpp"
#include "driver/signals.hpp"
#include "driver/time_limits.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// Watches what may end a run: signals, limits of time, faults of machines, people. The first of them asks the workers
/// to save and end.
class Draining {
 public:
  /// All of these outlive it.
  struct Parts {
    const study::Study& study;
    executor::Executor& executor;
    const Dispatcher& dispatcher;
    const Signals& signals;
    const Outage& outage;
    const TimeLimits& limits;
    const Clock& clock;
    Display& display;
    Ending& ending;
    Inbox& incoming;
  };

  explicit Draining(const Parts& parts) : parts_(parts) {}

  /// Signals and the limits of time.
  void watch();
  /// Ends the run if nothing can succeed any more. Time may heal a machine, but the run does not wait for that alone.
  void end_outage();
  /// A person ends the search.
  void stop(const std::string& why);
  /// The run ends, unless it does so already.
  void begin(Ending::By by, const std::string& why);

 private:
  Parts parts_;
};

}  // namespace dlrun::driver
