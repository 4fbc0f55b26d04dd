// SPDX-License-Identifier: Apache-2.0
// Signals that ask a worker to end, read like bytes.
#pragma once
#include "util/descriptor.hpp"

namespace dlrun::worker {

/// SIGTERM, SIGINT, SIGHUP and SIGUSR1, blocked in this thread and in those it starts, so that no system call of theirs
/// is interrupted. To be made before any other thread.
class Signals {
 public:
  Signals();

  /// Readable while a signal waits.
  int descriptor() const { return descriptor_.fd(); }
  /// The number of the signal that came first. REQUIRES: one waits.
  int next();
  /// Whether a signal waits for this process, which nobody has taken yet. For any thread that has them blocked.
  static bool is_pending();
  /// Waits for one. @return whether one came in time
  bool wait(int milliseconds) const;

 private:
  Descriptor descriptor_;
};

}  // namespace dlrun::worker
