// SPDX-License-Identifier: Apache-2.0
// When and where lost pieces run again.
#pragma once
#include "driver/blame.hpp"
#include "driver/clock.hpp"
#include "driver/crowded.hpp"
#include "driver/dispatcher.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

/// Knows from earlier losses of a piece how long its next attempt waits (backoff.hpp) and whether it runs alone.
class Retrying {
 public:
  /// All of these outlive it.
  struct Parts {
    const spec::RetryDelay& delay;
    const Blame& blame;
    const Crowded& crowded;
    const Clock& clock;
  };

  explicit Retrying(const Parts& parts) : parts_(parts) {}

  /// Time before the pieces start that this event starts again; 0 if nothing was lost by it.
  Clock::duration wait_after(const study::Event& event) const;
  /// Adds to decided work when it may leave, and the host that it has for itself.
  Work as_known(Work work, Clock::duration wait = {}) const;

 private:
  Clock::duration wait(const trial::PieceKey& piece, trial::Cause cause) const;

  Parts parts_;
};

}  // namespace dlrun::driver
