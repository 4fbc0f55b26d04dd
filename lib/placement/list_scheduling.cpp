// SPDX-License-Identifier: Apache-2.0
#include "placement/list_scheduling.hpp"

#include <algorithm>

#include "placement/list_parts.hpp"
#include "placement/ranks.hpp"
#include "placement/small_communication.hpp"

namespace dlrun::placement {

namespace {

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

class EarliestFinish {
 public:
  EarliestFinish(const Step& step, const Cluster& cluster)
      : step_(step), schedule_(step, cluster), room_(step, cluster), calendars_(std::size_t(cluster.size())) {}

  Schedule place(const std::vector<int>& order) {
    for (const int task : order) put(task);
    return schedule_.schedule();
  }

 private:
  void put(int task) {
    const int node = step_.tasks[std::size_t(task)].node;
    const int there = schedule_.device_of(task);
    int best = there != kNowhere ? there : room_.most();
    double least = kNever;
    for (int device = 0; there == kNowhere && device < int(calendars_.size()); ++device) {
      const double end = begin_of(task, device) + schedule_.seconds(task, device);
      if (!room_.has(device, node) || end >= least) continue;
      least = end;
      best = device;
    }
    if (there == kNowhere) room_.reserve(best, node);
    const double begin = begin_of(task, best);
    calendars_[std::size_t(best)].book(begin, schedule_.seconds(task, best));
    schedule_.set(task, best, begin);
  }

  double begin_of(int task, int device) const {
    return calendars_[std::size_t(device)].slot(schedule_.inputs_come(task, device), schedule_.seconds(task, device));
  }

  const Step& step_;
  ListSchedule schedule_;
  Room room_;
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
    front.mark_scheduled(order.back());
  }
  return order;
}

}  // namespace

Schedule earliest_task_first(const Step& step, const Cluster& cluster) {
  return small_communication_times(step, cluster, {});
}

Schedule earliest_finish(const Step& step, const Cluster& cluster) {
  return EarliestFinish(step, cluster).place(by_rank(step, upward_ranks(step, cluster)));
}

}  // namespace dlrun::placement
