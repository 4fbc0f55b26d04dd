// SPDX-License-Identifier: Apache-2.0
// When is a gang at rest? When no process has anything to do and no message is under way. Asked in waves: where all are
// idle in two waves running and the same numbers of messages were sent and taken in both times, nothing happened in
// between (Mattern 1987, the four-counter method).
#pragma once
#include <cstdint>
#include <vector>

namespace dlrun::gang {

/// State of a process when a wave reached it.
struct Tally {
  bool is_idle = false;
  std::int64_t sent = 0, taken = 0;  ///< messages between processes in this epoch
};

class Quiescence {
 public:
  explicit Quiescence(int processes) : processes_(processes) {}

  /// No wave is under way.
  bool may_ask() const { return asked_ == answers_; }
  void note_wave() { asked_ = processes_, answers_ = 0, now_ = {true, 0, 0}; }
  /// An answer to the wave. @return whether the gang is at rest
  bool add(const Tally& tally);

 private:
  int processes_;
  int asked_ = 0, answers_ = 0;
  Tally now_;                      ///< sums of the wave under way
  std::int64_t sent_before_ = -1;  ///< messages of the wave before, if all were idle and as many were taken
};

}  // namespace dlrun::gang
