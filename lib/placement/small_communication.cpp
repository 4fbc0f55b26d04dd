// SPDX-License-Identifier: Apache-2.0
#include "placement/small_communication.hpp"

#include <algorithm>
#include <tuple>

#include "placement/list_parts.hpp"

namespace dlrun::placement {

namespace {

class SmallCommunication {
 public:
  SmallCommunication(const Step& step, const Cluster& cluster, const Favourites& favourites)
      : step_(step),
        favourites_(favourites),
        schedule_(step, cluster),
        room_(step, cluster),
        free_(std::size_t(cluster.size()), 0),
        last_(std::size_t(cluster.size()), kNowhere),
        awaited_(std::size_t(cluster.size()), kNowhere),
        come_(step.tasks.size()),
        come_everywhere_(step.tasks.size(), 0) {}

  Schedule place() {
    Front front(step_);
    for (const int task : front.tasks()) learn(task);
    while (!front.tasks().empty()) {
      const Choice choice = earliest(front.tasks());
      put(choice);
      for (const int next : front.mark_scheduled(choice.task)) learn(next);
    }
    return schedule_.schedule();
  }

 private:
  struct Choice {
    int task = kNowhere, device = 0;
    double begin = kNever;
    int disturbs = 0;  ///< 0: the device waits for the task; 1: it waits for none; 2: for another

    bool is_before(const Choice& other) const {
      return std::tie(begin, task, disturbs, device) < std::tie(other.begin, other.task, other.disturbs, other.device);
    }
  };

  int node_of(int task) const { return step_.tasks[std::size_t(task)].node; }
  int devices() const { return int(free_.size()); }

  /// When the inputs of a task that has become free come to each device.
  void learn(int task) {
    for (int device = 0; device < devices(); ++device) {
      const double time = schedule_.inputs_come(task, device);
      come_[std::size_t(task)].push_back(time);
      come_everywhere_[std::size_t(task)] = std::max(come_everywhere_[std::size_t(task)], time);
    }
  }

  void put(const Choice& choice) {
    if (schedule_.device_of(choice.task) == kNowhere) room_.reserve(choice.device, node_of(choice.task));
    schedule_.set(choice.task, choice.device, choice.begin);
    free_[std::size_t(choice.device)] = choice.begin + schedule_.seconds(choice.task, choice.device);
    last_[std::size_t(choice.device)] = choice.task;
  }

  bool may_be(int task, int device) const {
    const int there = schedule_.device_of(task);
    return there != kNowhere ? there == device : room_.has(device, node_of(task));
  }

  /// As soon as inputs and device allow it.
  double begin_at(int task, int device) const {
    return std::max(free_[std::size_t(device)], come_[std::size_t(task)][std::size_t(device)]);
  }

  /// The task that the device waits for.
  int awaited_by(int device) const {
    const int last = last_[std::size_t(device)];
    if (favourites_.empty() || last == kNowhere || step_.tasks[std::size_t(last)].is_backward) return kNowhere;
    const int child = favourites_[std::size_t(node_of(last))];
    if (child == kNoFavourite || come_[std::size_t(child)].empty()) return kNowhere;
    if (schedule_.device_of(child) != kNowhere || !may_be(child, device)) return kNowhere;
    return is_earliest(child, device) ? child : kNowhere;
  }

  bool is_earliest(int task, int device) const {
    for (int other = 0; other < devices(); ++other) {
      if (may_be(task, other) && begin_at(task, other) < begin_at(task, device)) return false;
    }
    return true;
  }

  /// When the task begins on the device; kNever where that would delay a child which the device waits for.
  Choice on(int task, int device) const {
    const int awaited = awaited_[std::size_t(device)];
    const double begin = begin_at(task, device);
    if (awaited == kNowhere) return {task, device, begin, 1};
    if (awaited == task) return {task, device, begin, 0};
    const bool has_choice = schedule_.device_of(task) == kNowhere;
    const double urgent = has_choice ? std::max(begin, come_everywhere_[std::size_t(task)]) : begin;
    return {task, device, urgent < begin_at(awaited, device) ? urgent : kNever, 2};
  }

  Choice earliest(const std::vector<int>& tasks) {
    for (int device = 0; device < devices(); ++device) awaited_[std::size_t(device)] = awaited_by(device);
    Choice best;
    for (const int task : tasks) {
      for (int device = 0; device < devices(); ++device) {
        if (!may_be(task, device)) continue;
        const Choice choice = on(task, device);
        if (choice.begin < kNever && (best.task == kNowhere || choice.is_before(best))) best = choice;
      }
    }
    return best.task == kNowhere ? in_excess(tasks.front()) : best;
  }

  /// There is room nowhere: the simulator says by how much.
  Choice in_excess(int task) const {
    const int device = room_.most();
    return {task, device, begin_at(task, device)};
  }

  const Step& step_;
  const Favourites& favourites_;
  ListSchedule schedule_;
  Room room_;
  std::vector<double> free_;  ///< when each device is
  std::vector<int> last_;     ///< task of each device
  std::vector<int> awaited_;  ///< task that each device waits for
  std::vector<std::vector<double>> come_;
  std::vector<double> come_everywhere_;
};

}  // namespace

Schedule small_communication_times(const Step& step, const Cluster& cluster, const Favourites& favourites) {
  return SmallCommunication(step, cluster, favourites).place();
}

}  // namespace dlrun::placement
