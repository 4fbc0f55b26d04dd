// SPDX-License-Identifier: Apache-2.0
#include "placement/list_scheduling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dlrun::placement {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kNowhere = -1;

/// When tasks end and where nodes are, as far as that is decided.
class Schedule {
 public:
  Schedule(const Step& step, const Cluster& cluster)
      : step_(step),
        cluster_(cluster),
        inputs_(inputs_of(step)),
        device_(std::size_t(step.nodes()), kNowhere),
        end_(step.tasks.size(), kNever) {}

  /// When all that the task reads has come to the device. REQUIRES: its producers are scheduled.
  double inputs_come(int task, int device) const {
    double latest = 0;
    for (const int input : inputs_[std::size_t(task)]) {
      const Tensor& tensor = step_.tensors[std::size_t(input)];
      const int from = device_of(tensor.from);
      const double travel = from == device ? 0 : cluster_.between(from, device).seconds(tensor.bytes);
      latest = std::max(latest, end_[std::size_t(tensor.from)] + travel);
    }
    return latest;
  }

  double seconds(int task, int device) const {
    return step_.tasks[std::size_t(task)].seconds / cluster_.devices[std::size_t(device)].speed;
  }

  void set(int task, int device, double end) {
    device_[std::size_t(step_.tasks[std::size_t(task)].node)] = device;
    end_[std::size_t(task)] = end;
  }

  /// The device of the task's node; kNowhere before one of its tasks is scheduled.
  int device_of(int task) const { return device_[std::size_t(step_.tasks[std::size_t(task)].node)]; }
  const Placement& placement() const { return device_; }

 private:
  const Step& step_;
  const Cluster& cluster_;
  Lists inputs_;
  Placement device_;
  std::vector<double> end_;
};

/// Bytes that devices have room for: parameters with their gradients and outputs of the nodes that are there.
class Room {
 public:
  explicit Room(const Cluster& cluster) {
    for (const Device& device : cluster.devices)
      left_.push_back(device.memory > 0 ? double(device.memory) : std::numeric_limits<double>::infinity());
  }

  bool has(int device, double bytes) const { return left_[std::size_t(device)] >= bytes; }
  void take(int device, double bytes) { left_[std::size_t(device)] -= bytes; }
  /// The device with most room left.
  int most() const { return int(std::max_element(left_.begin(), left_.end()) - left_.begin()); }

 private:
  std::vector<double> left_;
};

/// Bytes that each node holds during a step.
std::vector<double> bytes_of_nodes(const Step& step) {
  std::vector<double> bytes;
  for (int node = 0; node < step.nodes(); ++node) bytes.push_back(double(step.held_params(node)));
  for (const Tensor& tensor : step.tensors) {
    const Task& from = step.tasks[std::size_t(tensor.from)];
    if (!from.is_backward) bytes[std::size_t(from.node)] += double(tensor.bytes);
  }
  return bytes;
}

/// Tasks that wait for no other, as tasks are scheduled.
class Front {
 public:
  explicit Front(const Step& step) : step_(step), missing_(step.inputs) {
    for (int task = 0; task < int(step.tasks.size()); ++task) {
      if (missing_[std::size_t(task)] == 0) tasks_.push_back(task);
    }
  }

  const std::vector<int>& tasks() const { return tasks_; }

  /// @return the tasks that became free
  std::vector<int> take(int task) {
    std::erase(tasks_, task);
    std::vector<int> free;
    for (const int tensor : step_.outputs[std::size_t(task)]) {
      for (const int reader : step_.tensors[std::size_t(tensor)].readers) {
        if (--missing_[std::size_t(reader)] == 0) free.push_back(reader);
      }
    }
    tasks_.insert(tasks_.end(), free.begin(), free.end());
    return free;
  }

 private:
  const Step& step_;
  std::vector<int> missing_;
  std::vector<int> tasks_;
};

class EarliestTaskFirst {
 public:
  EarliestTaskFirst(const Step& step, const Cluster& cluster)
      : step_(step),
        schedule_(step, cluster),
        room_(cluster),
        bytes_(bytes_of_nodes(step)),
        free_(std::size_t(cluster.size()), 0),
        come_(step.tasks.size()) {}

  Placement place() {
    Front front(step_);
    for (const int task : front.tasks()) learn(task);
    while (!front.tasks().empty()) {
      const auto [task, device, begin] = earliest(front.tasks());
      const bool is_new = schedule_.device_of(task) == kNowhere;
      if (is_new) room_.take(device, bytes_[std::size_t(step_.tasks[std::size_t(task)].node)]);
      const double end = begin + schedule_.seconds(task, device);
      schedule_.set(task, device, end);
      free_[std::size_t(device)] = end;
      for (const int next : front.take(task)) learn(next);
    }
    return schedule_.placement();
  }

 private:
  struct Choice {
    int task = kNowhere, device = 0;
    double begin = kNever;
  };

  /// When the inputs of a task that has become free come to each device.
  void learn(int task) {
    for (int device = 0; device < int(free_.size()); ++device)
      come_[std::size_t(task)].push_back(schedule_.inputs_come(task, device));
  }

  bool may_be(int task, int device) const {
    const int there = schedule_.device_of(task);
    if (there != kNowhere) return there == device;
    return room_.has(device, bytes_[std::size_t(step_.tasks[std::size_t(task)].node)]);
  }

  Choice earliest(const std::vector<int>& tasks) const {
    Choice best;
    for (const int task : tasks) {
      for (int device = 0; device < int(free_.size()); ++device) {
        const double begin = std::max(free_[std::size_t(device)], come_[std::size_t(task)][std::size_t(device)]);
        const bool is_first = begin < best.begin || (begin == best.begin && task < best.task);
        if (is_first && may_be(task, device)) best = {task, device, begin};
      }
    }
    return best.task == kNowhere ? in_excess(tasks.front()) : best;
  }

  /// There is room nowhere: the simulator says by how much.
  Choice in_excess(int task) const {
    const int device = room_.most();
    return {task, device, std::max(free_[std::size_t(device)], come_[std::size_t(task)][std::size_t(device)])};
  }

  const Step& step_;
  Schedule schedule_;
  Room room_;
  std::vector<double> bytes_;  ///< each node holds
  std::vector<double> free_;   ///< when each device is
  std::vector<std::vector<double>> come_;
};

/// Tasks of a device, by begin.
class Calendar {
 public:
  /// The first begin from `earliest` on, in a gap too.
  double slot(double earliest, double seconds) const {
    double begin = earliest;
    for (auto at = first_after(earliest); at != busy_.end() && at->begin < begin + seconds; ++at)
      begin = std::max(begin, at->end);
    return begin;
  }

  void book(double begin, double seconds) {
    const auto at = std::upper_bound(busy_.begin(), busy_.end(), begin,
                                     [](double time, const Busy& busy) { return time < busy.begin; });
    busy_.insert(at, {begin, begin + seconds});
  }

 private:
  struct Busy {
    double begin = 0, end = 0;
  };

  std::vector<Busy>::const_iterator first_after(double time) const {
    return std::upper_bound(busy_.begin(), busy_.end(), time,
                            [](double value, const Busy& busy) { return value < busy.end; });
  }

  std::vector<Busy> busy_;  ///< one after another
};

/// Seconds of the longest way from each task to the end, transfers included, on mean devices.
std::vector<double> upward_ranks(const Step& step, const Cluster& cluster) {
  double slowness = 0;
  for (const Device& device : cluster.devices) slowness += 1 / device.speed;
  slowness /= cluster.size();
  const double share_remote = 1 - 1.0 / cluster.size();
  const Link link = cluster.mean_link();
  std::vector<double> rank(step.tasks.size());
  std::vector<int> order;
  Front front(step);
  while (!front.tasks().empty()) {
    order.push_back(front.tasks().back());
    front.take(order.back());
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    double behind = 0;
    for (const int tensor : step.outputs[std::size_t(order[i])]) {
      const double travel = share_remote * link.seconds(step.tensors[std::size_t(tensor)].bytes);
      for (const int reader : step.tensors[std::size_t(tensor)].readers)
        behind = std::max(behind, travel + rank[std::size_t(reader)]);
    }
    rank[std::size_t(order[i])] = step.tasks[std::size_t(order[i])].seconds * slowness + behind;
  }
  return rank;
}

class EarliestFinish {
 public:
  EarliestFinish(const Step& step, const Cluster& cluster)
      : step_(step),
        schedule_(step, cluster),
        room_(cluster),
        bytes_(bytes_of_nodes(step)),
        calendars_(std::size_t(cluster.size())) {}

  Placement place(const std::vector<int>& order) {
    for (const int task : order) put(task);
    return schedule_.placement();
  }

 private:
  void put(int task) {
    const double bytes = bytes_[std::size_t(step_.tasks[std::size_t(task)].node)];
    const int there = schedule_.device_of(task);
    int best = there != kNowhere ? there : room_.most();
    double least = kNever;
    for (int device = 0; there == kNowhere && device < int(calendars_.size()); ++device) {
      const double end = begin_of(task, device) + schedule_.seconds(task, device);
      if (!room_.has(device, bytes) || end >= least) continue;
      least = end;
      best = device;
    }
    if (there == kNowhere) room_.take(best, bytes);
    const double begin = begin_of(task, best), seconds = schedule_.seconds(task, best);
    calendars_[std::size_t(best)].book(begin, seconds);
    schedule_.set(task, best, begin + seconds);
  }

  double begin_of(int task, int device) const {
    return calendars_[std::size_t(device)].slot(schedule_.inputs_come(task, device), schedule_.seconds(task, device));
  }

  const Step& step_;
  Schedule schedule_;
  Room room_;
  std::vector<double> bytes_;  ///< each node holds
  std::vector<Calendar> calendars_;
};

/// By rank; a task that takes no time stands behind those that it reads.
std::vector<int> by_rank(const Step& step, const std::vector<double>& rank) {
  Front front(step);
  std::vector<int> order;
  while (!front.tasks().empty()) {
    const auto more = [&](int a, int b) {
      return rank[std::size_t(a)] != rank[std::size_t(b)] ? rank[std::size_t(a)] < rank[std::size_t(b)] : a > b;
    };
    order.push_back(*std::max_element(front.tasks().begin(), front.tasks().end(), more));
    front.take(order.back());
  }
  return order;
}

}  // namespace

Placement earliest_task_first(const Step& step, const Cluster& cluster) {
  return EarliestTaskFirst(step, cluster).place();
}

Placement earliest_finish(const Step& step, const Cluster& cluster) {
  return EarliestFinish(step, cluster).place(by_rank(step, upward_ranks(step, cluster)));
}

}  // namespace dlrun::placement
