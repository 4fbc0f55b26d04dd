// SPDX-License-Identifier: Apache-2.0
// Tasks that several devices of one machine compute at the same time, each in an order of its own.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "nn/device_threads.hpp"

namespace dlrun::nn {

using TaskLists = std::vector<std::vector<std::size_t>>;

/// Tasks that have been computed. If one fails, nobody waits for the others.
class Computed {
 public:
  explicit Computed(std::size_t tasks) : is_done_(tasks, false) {}
  void note(std::size_t task);
  /// @throws Abandoned where a task failed
  void wait_for(std::size_t task);
  void abandon();

  struct Abandoned {};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_done_;
  bool is_abandoned_ = false;
};

/// Orders of tasks, which can be computed again and again.
class DeviceTasks {
 public:
  DeviceTasks() = default;
  /// @param orders  tasks of each device, as it computes them    @param needs  of each task, those that come before it
  /// @throws Error(internal) for orders that lack a task, have one twice or would wait for each other
  DeviceTasks(TaskLists orders, TaskLists needs);

  int devices() const { return int(orders_.size()); }
  /// Computes all and returns then. A task sees all that the tasks have written which it needs.
  /// @param threads  as many as there are devices    @throws what a task threw, that of the lowest device
  void run(DeviceThreads& threads, const std::function<void(std::size_t task)>& compute) const;

 private:
  TaskLists orders_, needs_;
};

}  // namespace dlrun::nn
