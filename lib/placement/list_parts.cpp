// SPDX-License-Identifier: Apache-2.0
#include "placement/list_parts.hpp"

#include <algorithm>

namespace dlrun::placement {

double mean_slowness(const Cluster& cluster) {
  double slowness = 0;
  for (const Device& device : cluster.devices) slowness += 1 / device.speed;
  return slowness / cluster.size();
}

ListSchedule::ListSchedule(const Step& step, const Cluster& cluster)
    : step_(step),
      cluster_(cluster),
      inputs_(inputs_of(step)),
      members_(std::size_t(step.nodes())),
      device_(std::size_t(step.nodes()), kNowhere),
      begin_(step.tasks.size(), kNever),
      end_(step.tasks.size(), kNever) {
  for (int node = 0; node < step.nodes(); ++node) members_[std::size_t(step.leader(node))].push_back(node);
}

double ListSchedule::inputs_come(int task, int device) const {
  double latest = 0;
  for (const int input : inputs_[std::size_t(task)]) {
    const Tensor& tensor = step_.tensors[std::size_t(input)];
    const int from = device_of(tensor.from);
    const double travel = from == device ? 0 : cluster_.between(from, device).seconds(tensor.bytes);
    latest = std::max(latest, end_[std::size_t(tensor.from)] + travel);
  }
  return latest;
}

double ListSchedule::seconds(int task, int device) const {
  return step_.tasks[std::size_t(task)].seconds / cluster_.devices[std::size_t(device)].speed;
}

void ListSchedule::set(int task, int device, double begin) {
  const int node = step_.tasks[std::size_t(task)].node;
  for (const int member : members_[std::size_t(step_.leader(node))]) device_[std::size_t(member)] = device;
  begin_[std::size_t(task)] = begin;
  end_[std::size_t(task)] = begin + seconds(task, device);
}

Room::Room(const Step& step, const Cluster& cluster) {
  for (int node = 0; node < step.nodes(); ++node) bytes_.push_back(double(step.held_params(node)));
  for (const Tensor& tensor : step.tensors) {
    const Task& from = step.tasks[std::size_t(tensor.from)];
    if (!from.is_backward) bytes_[std::size_t(from.node)] += double(tensor.bytes);
  }
  std::vector<double> together(bytes_.size());
  for (int node = 0; node < step.nodes(); ++node) together[std::size_t(step.leader(node))] += bytes_[std::size_t(node)];
  for (int node = 0; node < step.nodes(); ++node) bytes_[std::size_t(node)] = together[std::size_t(step.leader(node))];
  for (const Device& device : cluster.devices) left_.push_back(device.memory > 0 ? double(device.memory) : kNever);
}

int Room::most() const { return int(std::max_element(left_.begin(), left_.end()) - left_.begin()); }

Front::Front(const Step& step) : step_(step), missing_(step.inputs) {
  for (int task = 0; task < int(step.tasks.size()); ++task) {
    if (missing_[std::size_t(task)] == 0) tasks_.push_back(task);
  }
}

std::vector<int> Front::mark_scheduled(int task) {
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

}  // namespace dlrun::placement
