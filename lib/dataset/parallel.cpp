// SPDX-License-Identifier: Apache-2.0
#include "dataset/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dlrun::dataset {

namespace {

constexpr unsigned kMostThreads = 16;

/// Indices are handed out in ascending order, so that all below a failed one have been begun and will end.
class Queue {
 public:
  Queue(std::int64_t count, const std::function<void(std::int64_t)>& work) : count_(count), work_(work) {}

  void drain() {
    for (std::int64_t i = next_++; i < count_ && !has_failed_; i = next_++) {
      try {
        work_(i);
      } catch (...) {
        keep(i, std::current_exception());
      }
    }
  }

  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  void keep(std::int64_t i, std::exception_ptr fault) {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
    if (fault_ && i > failed_) return;
    failed_ = i;
    fault_ = std::move(fault);
  }

  std::int64_t count_;
  const std::function<void(std::int64_t)>& work_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  std::int64_t failed_ = 0;
  std::exception_ptr fault_;
};

}  // namespace

void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  Queue queue(count, work);
  const auto cores = std::int64_t(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads));
  std::vector<std::jthread> threads;
  for (std::int64_t i = 1; i < std::min(cores, count); ++i) threads.emplace_back([&] { queue.drain(); });
  queue.drain();
  threads.clear();  // joins
  queue.rethrow();
}

}  // namespace dlrun::dataset
