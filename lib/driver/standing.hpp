// SPDX-License-Identifier: Apache-2.0
// State of a run as people see it: on the screen, by `dlrun status`, at its end.
#pragma once
#include <cstdint>

#include "driver/blame.hpp"
#include "driver/curves.hpp"
#include "driver/dispatcher.hpp"
#include "driver/driver.hpp"
#include "driver/ending.hpp"
#include "driver/tally.hpp"
#include "driver/time_limits.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// Reads the other parts and changes none of them.
class Standing {
 public:
  /// All of these outlive it.
  struct Parts {
    const spec::StudySpec& spec;
    const study::Study& study;
    const Tally& tally;
    const Curves& curves;
    const Dispatcher& dispatcher;
    const Blame& blame;
    const TimeLimits& limits;
    const Ending& ending;
    const Clock& clock;
  };

  explicit Standing(const Parts& parts) : parts_(parts) {}

  /// @param epochs_before  done before this run began
  Progress progress(std::int64_t epochs_before) const;
  /// The reply to "status".
  Json status() const;
  /// After the end of the run.
  Summary summary() const;

 private:
  std::vector<RunningPiece> pieces() const;

  Parts parts_;
};

/// Trials by state and the best of them; the rest as if the study had ended by itself.
Summary summary_of(const study::Study& study, const Tally& tally);

}  // namespace dlrun::driver
