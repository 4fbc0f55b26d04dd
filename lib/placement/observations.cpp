// SPDX-License-Identifier: Apache-2.0
#include "placement/observations.hpp"

#include <algorithm>

namespace dlrun::placement {

namespace {

constexpr int kOfNode = 4, kOfNeighbours = 3;  // beside one for each device

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

Observations::Observations(const Graph& graph, int devices)
    : graph_(graph), parents_(parents_of(graph)), children_(children_of(graph)), devices_(devices) {
  for (int node = 0; node < graph.size(); ++node) {
    work_ += work_of(node);
    most_work_ = std::max(most_work_, work_of(node));
    most_bytes_ = std::max(most_bytes_, double(graph.nodes[std::size_t(node)].out_bytes));
  }
}

double Observations::work_of(int node) const {
  return graph_.nodes[std::size_t(node)].forward + graph_.nodes[std::size_t(node)].backward;
}

int Observations::size() const { return kOfNode + devices_ + 2 * (kOfNeighbours + devices_) + 2 * devices_; }

void Observations::begin(const Placement& placement) {
  is_decided_.assign(placement.size(), 0);
  count_ = 0;
  decided_.assign(std::size_t(devices_), 0);
  undecided_.assign(std::size_t(devices_), 0);
  for (int node = 0; node < graph_.size(); ++node)
    undecided_[std::size_t(placement[std::size_t(node)])] += work_of(node);
}

void Observations::decide(int node, int before, int device) {
  is_decided_[std::size_t(node)] = 1;
  ++count_;
  undecided_[std::size_t(before)] -= work_of(node);
  decided_[std::size_t(device)] += work_of(node);
}

Observations::Vector Observations::of(int node, const Simulated& last) const {
  const Node& own = graph_.nodes[std::size_t(node)];
  Vector one = Vector::Zero(devices_);
  one[last.placement[std::size_t(node)]] = 1;
  Vector out(size());
  out << share(work_of(node), most_work_), share(double(own.out_bytes), most_bytes_),
      share(last.begins[std::size_t(node)], last.seconds), double(count_) / graph_.size(), one,
      of_neighbours(parents_[std::size_t(node)], node, last), of_neighbours(children_[std::size_t(node)], node, last),
      of_devices();
  return out;
}

/// Means of whether they are decided, of their work and start, and sums of bytes on each device.
Observations::Vector Observations::of_neighbours(const std::vector<int>& neighbours, int node,
                                                 const Simulated& last) const {
  Vector out = Vector::Zero(kOfNeighbours + devices_);
  const auto all = double(neighbours.size());
  for (const int other : neighbours) {
    const double start = last.begins[std::size_t(other)] - last.begins[std::size_t(node)];
    out[0] += is_decided_[std::size_t(other)] / all;
    out[1] += share(work_of(other), most_work_) / all;
    out[2] += share(start, last.seconds) / all;
    out[kOfNeighbours + last.placement[std::size_t(other)]] +=
        share(double(graph_.nodes[std::size_t(other)].out_bytes), most_bytes_);
  }
  return out;
}

Observations::Vector Observations::of_devices() const {
  Vector out(2 * devices_);
  for (int device = 0; device < devices_; ++device) {
    out[2 * device] = share(decided_[std::size_t(device)], work_);
    out[2 * device + 1] = share(undecided_[std::size_t(device)], work_);
  }
  return out;
}

}  // namespace dlrun::placement
