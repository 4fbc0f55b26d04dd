// SPDX-License-Identifier: Apache-2.0
#include "nn/device_threads.hpp"

#include <sched.h>

#include <ATen/Parallel.h>

namespace dlrun::nn {

namespace {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void tie_to(const std::vector<int>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);  // if it is refused, the kernel chooses
}

}  // namespace

DeviceThreads::DeviceThreads(int devices, int threads) : faults_(std::size_t(devices)) {
  const std::vector<int> cores = allowed_cores();
  const bool is_tied = devices > 1 && cores.size() == std::size_t(devices) * std::size_t(threads);
  for (int device = 1; device < devices; ++device) {
    std::vector<int> own;
    if (is_tied) own.assign(cores.begin() + device * threads, cores.begin() + (device + 1) * threads);
    threads_.emplace_back([this, device, own] { serve(device, own); });
  }
}

DeviceThreads::~DeviceThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  given_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DeviceThreads::serve(int device, const std::vector<int>& cores) {
  tie_to(cores);
  at::init_num_threads();
  std::unique_lock lock(mutex_);
  for (int seen = 0;;) {
    given_.wait(lock, [&] { return ends_ || round_ != seen; });
    if (ends_) return;
    seen = round_;
    lock.unlock();
    work_on(device);
    lock.lock();
    if (--open_ == 0) done_.notify_one();
  }
}

void DeviceThreads::work_on(int device) {
  try {
    (*work_)(device);
  } catch (...) {
    faults_[std::size_t(device)] = std::current_exception();
  }
}

void DeviceThreads::run_on_devices(const std::function<void(int)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    open_ = int(threads_.size());
    ++round_;
    faults_.assign(faults_.size(), nullptr);
  }
  given_.notify_all();
  work_on(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return open_ == 0; });
  for (const std::exception_ptr& fault : faults_) {
    if (fault) std::rethrow_exception(fault);
  }
}

}  // namespace dlrun::nn
