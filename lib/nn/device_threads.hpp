// SPDX-License-Identifier: Apache-2.0
// Threads that stand for devices of one machine: each computes one thing after another, all at the same time.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dlrun::nn {

/// Device 0 is the thread that calls run_on_devices(); the others have a thread each, with as many threads of ATen's.
/// If the process may use exactly as many cores as all of them have threads, each device is tied to cores of its own.
class DeviceThreads {
 public:
  /// @param devices  at least 1
  /// @param threads  inside an operation, of each device
  DeviceThreads(int devices, int threads);
  ~DeviceThreads();
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  int devices() const { return int(threads_.size()) + 1; }
  /// Calls work(device) for every device and returns when all have ended; throws what the lowest one threw.
  void run_on_devices(const std::function<void(int)>& work);

 private:
  void serve(int device, const std::vector<int>& cores);
  void work_on(int device);

  std::mutex mutex_;
  std::condition_variable given_, done_;
  const std::function<void(int)>* work_ = nullptr;
  int round_ = 0, open_ = 0;
  bool ends_ = false;
  std::vector<std::exception_ptr> faults_;  ///< by device
  std::vector<std::thread> threads_;
};

}  // namespace dlrun::nn
