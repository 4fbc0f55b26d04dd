// SPDX-License-Identifier: Apache-2.0
#include "nn/device_tasks.hpp"

#include <algorithm>

#include "util/error.hpp"

namespace dlrun::nn {

namespace {

/// Plays the orders: every device goes on until it would wait.
bool can_end(const TaskLists& orders, const TaskLists& needs) {
  std::vector<bool> done(needs.size(), false);
  std::vector<std::size_t> at(orders.size(), 0);
  std::size_t count = 0;
  const auto is_ready = [&](std::size_t task) {
    return task < needs.size() && !done[task] &&
           std::all_of(needs[task].begin(), needs[task].end(), [&](std::size_t before) { return done[before]; });
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t device = 0; device < orders.size(); ++device) {
      for (; at[device] < orders[device].size() && is_ready(orders[device][at[device]]); ++at[device], ++count) {
        done[orders[device][at[device]]] = true;
        moved = true;
      }
    }
  }
  std::size_t given = 0;
  for (const auto& order : orders) given += order.size();
  return count == needs.size() && given == count;
}

}  // namespace

void Computed::note(std::size_t task) {
  {
    const std::lock_guard lock(mutex_);
    is_done_[task] = true;
  }
  changed_.notify_all();
}

void Computed::wait_for(std::size_t task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_abandoned_ || is_done_[task]; });
  if (is_abandoned_) throw Abandoned{};
}

void Computed::abandon() {
  {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
  }
  changed_.notify_all();
}

DeviceTasks::DeviceTasks(TaskLists orders, TaskLists needs) : orders_(std::move(orders)), needs_(std::move(needs)) {
  if (!can_end(orders_, needs_)) throw Error(ErrorKind::internal, "the devices' orders of tasks cannot be computed");
}

void DeviceTasks::run(DeviceThreads& threads, const std::function<void(std::size_t)>& compute) const {
  Computed computed(needs_.size());
  threads.run_on_devices([&](int device) {
    try {
      for (const std::size_t task : orders_[std::size_t(device)]) {
        for (const std::size_t before : needs_[task]) computed.wait_for(before);
        compute(task);
        computed.note(task);
      }
    } catch (const Computed::Abandoned&) {  // the device where it failed tells why
    } catch (...) {
      computed.abandon();
      throw;
    }
  });
}

}  // namespace dlrun::nn
