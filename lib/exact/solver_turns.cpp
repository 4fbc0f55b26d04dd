// SPDX-License-Identifier: Apache-2.0
#include "exact/solver_turns.hpp"

#include <algorithm>
#include <map>

namespace dlrun::exact {

namespace {

using namespace placement;

class Timetable {
 public:
  Timetable(const SchedulingModel& model, const Step& step, const Cluster& cluster,
            const std::vector<std::int64_t>& values)
      : step_(step), cluster_(cluster), tick_(model.tick), placement_(model.placement_of(values)) {
    const auto tick_of = [&](cpsat::Variable variable) { return double(values[std::size_t(variable)]); };
    for (const cpsat::Variable begin : model.begins) begins_.push_back(tick_of(begin));
    for (const auto& travel : model.travels) {
      const int from = device_of(step_.tensors[std::size_t(travel.tensor)].from);
      const int to = travel.to >= 0 || cluster_.link.broadcasts ? travel.to : 1 - from;  // two devices: the other one
      departures_.push_back({travel.tensor, to, tick_of(travel.begin)});
      departs_[{travel.tensor, to}] = tick_of(travel.begin);
    }
  }

  Turns turns() && {
    advance_short_tasks();
    return {tasks_by_begin(step_, placement_, cluster_.size(), begins_),
            tensors_by_begin(step_, cluster_, placement_, departures_)};
  }

 private:
  int device_of(int task) const { return placement::device_of(step_, placement_, task); }

  double ticks_of(int task) const {
    const double speed = cluster_.devices[std::size_t(device_of(task))].speed;
    return step_.tasks[std::size_t(task)].seconds / speed / tick_;
  }

  void advance_short_tasks() {
    const Lists inputs = inputs_of(step_);
    for (const int task : producers_first(step_)) {
      if (ticks_of(task) >= 1) continue;
      double latest = 0;
      for (const int tensor : inputs[std::size_t(task)]) latest = std::max(latest, comes(tensor, device_of(task)));
      begins_[std::size_t(task)] = std::min(begins_[std::size_t(task)], latest);
    }
  }

  /// When a tensor is on the device.
  double comes(int number, int device) const {
    const Tensor& tensor = step_.tensors[std::size_t(number)];
    const int from = device_of(tensor.from);
    if (from == device) return begins_[std::size_t(tensor.from)] + ticks_of(tensor.from);
    const bool serves_all = cluster_.link.broadcasts;
    const Link& way = serves_all ? cluster_.link : cluster_.between(from, device);
    return departs_.at({number, serves_all ? kAll : device}) + way.seconds(tensor.bytes) / tick_;
  }

  static constexpr int kAll = -1;

  const Step& step_;
  const Cluster& cluster_;
  double tick_;
  Placement placement_;
  std::vector<double> begins_;
  std::vector<Departure> departures_;
  std::map<std::pair<int, int>, double> departs_;  ///< by tensor and device
};

}  // namespace

Turns turns_of(const SchedulingModel& model, const Step& step, const Cluster& cluster,
               const std::vector<std::int64_t>& values) {
  return Timetable(model, step, cluster, values).turns();
}

}  // namespace dlrun::exact
