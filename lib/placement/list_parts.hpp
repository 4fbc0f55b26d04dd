// SPDX-License-Identifier: Apache-2.0
// Parts that placers share which schedule task after task.
#pragma once
#include <limits>

#include "placement/turns.hpp"

namespace dlrun::placement {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kNowhere = -1;  ///< a device or a task that there is not

/// Seconds that a device of the cluster takes on average for a task of one second.
double mean_slowness(const Cluster& cluster);

/// When tasks begin and end and where nodes are, as far as that is decided. Tensors travel without waiting for each
/// other.
class ListSchedule {
 public:
  /// Both must outlive the schedule.
  ListSchedule(const Step& step, const Cluster& cluster);

  /// When all that the task reads has come to the device. REQUIRES: its producers are scheduled.
  double inputs_come(int task, int device) const;
  double seconds(int task, int device) const;
  void set(int task, int device, double begin);

  /// The device of the task's node; kNowhere before one of its tasks is scheduled.
  int device_of(int task) const { return placement::device_of(step_, device_, task); }
  /// REQUIRES: all tasks are scheduled.
  Schedule schedule() const { return {device_, tasks_by_begin(step_, device_, cluster_.size(), begin_)}; }

 private:
  const Step& step_;
  const Cluster& cluster_;
  Lists inputs_;
  Lists members_;  ///< nodes of each group, by its first one
  Placement device_;
  std::vector<double> begin_, end_;
};

/// Bytes that devices have room for: parameters with their gradients and outputs of the nodes that are there.
class Room {
 public:
  Room(const Step& step, const Cluster& cluster);

  bool has(int device, int node) const { return left_[std::size_t(device)] >= bytes_[std::size_t(node)]; }
  void reserve(int device, int node) { left_[std::size_t(device)] -= bytes_[std::size_t(node)]; }
  /// The device with most room left.
  int most() const;

 private:
  std::vector<double> bytes_;  ///< each node's group holds
  std::vector<double> left_;
};

/// Tasks that wait for no other, as tasks are scheduled.
class Front {
 public:
  explicit Front(const Step& step);

  const std::vector<int>& tasks() const { return tasks_; }
  /// @return the tasks that became free
  std::vector<int> mark_scheduled(int task);

 private:
  const Step& step_;
  std::vector<int> missing_;
  std::vector<int> tasks_;
};

}  // namespace dlrun::placement
