// SPDX-License-Identifier: Apache-2.0
// Workers that the hub knows, by number, and messages to them. Private to this room.
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

  /// All workers, by ascending number, because a worker is added when it is given the next one.
  std::vector<std::unique_ptr<Worker>>& all() { return workers_; }
  /// The worker with a number; nullptr: it has ended.
  Worker* find(std::int64_t number);
  /// The worker of another machine that may return under a session; nullptr: there is none.
  RemoteWorker* find_session(const std::string& session);
  /// Is this process a worker of ours that has not said hello yet? It is admitted, however many strangers wait.
  bool expects(std::int64_t pid) const;

  /// Queues a message for the next flush(); a message to a worker that has ended is dropped.
  void send(std::int64_t number, const protocol::Message& message);
  void flush();
  /// Tells all workers to end, and makes them end after the grace.
  void dismiss(std::chrono::milliseconds grace);

  /// Looks at clocks, not more often than every 10 ms: a thousand workers send ten thousand messages a second.
  void watch();
  void watch_soon() { watch_at_ = {}; }
  /// Removes workers that are over.
  std::vector<std::unique_ptr<Worker>> bury();
  void clear() { workers_.clear(); }

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::int64_t> unflushed_;  ///< workers with queued messages
  Clock::time_point watch_at_{};
};

}  // namespace dlrun::executor
