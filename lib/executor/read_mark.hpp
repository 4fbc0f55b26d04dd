// SPDX-License-Identifier: Apache-2.0
// Time up to which messages of all peers were read. Private to this room.
#pragma once
#include <chrono>
#include <utility>

namespace dlrun::executor {

class ReadMark {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ReadMark(Time now) : up_to_(now), empty_at_(now) {}

  /// All sockets were empty at this time. Peers whose sockets were full before send the rest a little later, so the
  /// mark moves to the time before, once that is long enough ago.
  void note_empty(Time now) {
    if (now - empty_at_ < kOnTheWay) return;
    up_to_ = std::exchange(empty_at_, now);
  }
  /// Every message sent before this time was read.
  Time up_to() const { return up_to_; }

 private:
  static constexpr std::chrono::milliseconds kOnTheWay{100};  ///< delay of a message that met a full socket, at most
  Time up_to_;
  Time empty_at_;
};

}  // namespace dlrun::executor
