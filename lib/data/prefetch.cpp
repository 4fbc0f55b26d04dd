// SPDX-License-Identifier: Apache-2.0
#include "data/prefetch.hpp"

#include <algorithm>
#include <system_error>

namespace dlrun::data {

Prefetch::Prefetch(int threads, int places, std::function<void(std::int64_t, int)> prepare)
    : prepare_(std::move(prepare)), places_(places), ready_(std::size_t(places), -1), faults_(std::size_t(places)) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // else fewer threads do the same work
  }
}

Prefetch::~Prefetch() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Prefetch::has_work() const { return next_ < end_ && next_ < taken_ + places_; }

void Prefetch::start(std::int64_t begin, std::int64_t end, const std::function<void()>& between) {
  {
    std::unique_lock lock(mutex_);
    next_ = end_ = 0;
    done_.wait(lock, [this] { return busy_ == 0; });
    between();
    std::fill(ready_.begin(), ready_.end(), -1);
    std::fill(faults_.begin(), faults_.end(), nullptr);
    next_ = taken_ = begin;
    end_ = end;
  }
  wanted_.notify_all();
}

int Prefetch::wait_for(std::int64_t index) {
  const int place = int(index % places_);
  std::exception_ptr fault;
  {
    std::unique_lock lock(mutex_);
    taken_ = index;
    wanted_.notify_all();
    done_.wait(lock, [&] { return ready_[std::size_t(place)] == index; });
    fault = faults_[std::size_t(place)];
  }
  if (fault) std::rethrow_exception(fault);
  return place;
}

void Prefetch::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return is_closing_ || has_work(); });
    if (is_closing_) return;
    const std::int64_t index = next_++;
    const auto place = std::size_t(index % places_);
    ++busy_;
    lock.unlock();
    std::exception_ptr fault;
    try {
      prepare_(index, int(place));
    } catch (...) {
      fault = std::current_exception();
    }
    lock.lock();
    --busy_;
    ready_[place] = index;
    faults_[place] = fault;
    done_.notify_all();
  }
}

}  // namespace dlrun::data
