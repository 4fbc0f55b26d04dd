// SPDX-License-Identifier: Apache-2.0
// Record of a process of a gang: what it did in an epoch, in order. A process is a function of this, for messages from
// one process to another come in the order in which they were sent. Part of the store's format: for each event two
// numbers, least significant seven bits first, with 128 for more: 0 and the batches left out since the last one, or one
// more than the sender's process and by how much the count of batches has grown.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::parallel {

/// Bytes of an event, of those that are no rarity.
inline constexpr int kEventBytes = 2;

struct RecordedEvent {
  static constexpr int kNobody = -1;
  int from = kNobody;       ///< process whose oldest message is taken in; nobody's: a gradient is computed
  std::int64_t number = 0;  ///< batch of the gradient; with a message, batches that ranks have begun by then
};

class Recorder {
 public:
  /// REQUIRES: more than the batch before.
  void note_batch(std::int64_t batch);
  /// REQUIRES: no fewer batches than before.
  void note_message(int from, std::int64_t begun);
  const std::string& bytes() const { return bytes_; }

 private:
  void add_number(std::uint64_t number);

  std::string bytes_;
  std::int64_t next_ = 0, begun_ = 0;
};

/// All events of a process's record.
/// @throws Error(store) naming process and event for bytes that no recorder wrote
std::vector<RecordedEvent> read_record(std::string_view bytes, int process);

}  // namespace dlrun::parallel
