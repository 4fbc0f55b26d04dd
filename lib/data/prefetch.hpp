// SPDX-License-Identifier: Apache-2.0
// Work that is done ahead by threads of its own, in a ring of places: number i is prepared in place i modulo their
// count, and taken in order. Which thread prepares what makes no difference to what comes out.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dlrun::data {

class Prefetch {
 public:
  /// @param prepare  makes work number `index` in `place`; called by several threads, never twice at once for a place
  Prefetch(int threads, int places, std::function<void(std::int64_t index, int place)> prepare);
  /// Waits for work under way; planned work is dropped.
  ~Prefetch();
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  /// Begins to prepare begin … end - 1. What was planned before is dropped, and no thread is at work when `between` is
  /// called: it may change what `prepare` reads.
  void start(std::int64_t begin, std::int64_t end, const std::function<void()>& between);
  /// Waits for `index`, the one after that taken last, and frees the place of the one before it.
  /// @return its place, which stays as it is until the next call.  @throws what prepare threw.
  int wait_for(std::int64_t index);

 private:
  void work();
  bool has_work() const;

  std::function<void(std::int64_t, int)> prepare_;
  int places_;
  std::mutex mutex_;
  std::condition_variable wanted_, done_;
  std::int64_t next_ = 0, end_ = 0;  ///< planned and not begun
  std::int64_t taken_ = 0;           ///< the work whose place is in use; those before it are free
  int busy_ = 0;                     ///< threads at work
  bool is_closing_ = false;
  std::vector<std::int64_t> ready_;  ///< by place: the work that lies there, -1: none
  std::vector<std::exception_ptr> faults_;
  std::vector<std::thread> threads_;  ///< last: they use all of the above
};

}  // namespace dlrun::data
