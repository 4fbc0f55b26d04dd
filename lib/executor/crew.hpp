// SPDX-License-Identifier: Apache-2.0
// The workers that the hub knows, by number, and what leaves for them. Private to this room.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "executor/worker.hpp"

namespace dlrun::executor {

class RemoteWorker;

class Crew {
 public:
  using Clock = Worker::Clock;

  /// Numbers ascend: a worker is added when it is given the next one.
  std::vector<std::unique_ptr<Worker>>& all() { return workers_; }
  /// nullptr: it has ended.
  Worker* find(std::int64_t number);
  /// A worker of another machine that may return. nullptr: there is none.
  RemoteWorker* find_session(const std::string& session);
  /// A worker of ours that has not said hello yet: however many others stand at the door, it gets in.
  bool expects(std::int64_t pid) const;

  /// Queues a message that leaves with the next flush(). Messages for a worker that has ended are dropped.
  void send(std::int64_t number, const protocol::Message& message);
  void flush();
  /// Tells all workers to end, and ends those by force that do not within the grace.
  void dismiss(std::chrono::milliseconds grace);

  /// Looks at clocks, not more often than every 10 ms: a thousand workers send ten thousand messages a second.
  void watch();
  void watch_soon() { watch_at_ = {}; }
  /// Takes out the workers that are over.
  std::vector<std::unique_ptr<Worker>> bury();
  void clear() { workers_.clear(); }

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::int64_t> unflushed_;  ///< workers to whom something was sent
  Clock::time_point watch_at_{};
};

}  // namespace dlrun::executor
