// SPDX-License-Identifier: Apache-2.0
#include "placement/simulator.hpp"

#include <algorithm>
#include <limits>

#include "placement/holdings.hpp"

namespace dlrun::placement {

namespace {

constexpr int kAll = -1;

}  // namespace

double Simulator::seconds(const Placement& placement) {
  spans_ = nullptr;
  reset(placement);
  play();
  return end_;
}

Outcome Simulator::outcome(const Placement& placement) {
  Outcome out;
  spans_ = &out.spans;
  reset(placement);
  play();
  spans_ = nullptr;
  out.seconds = end_;
  out.busy.resize(std::size_t(cluster_.size()));
  for (const Span& span : out.spans) {
    if (span.task >= 0) out.busy[std::size_t(span.from)] += span.end - span.begin;
    if (span.tensor < 0) continue;
    ++out.transfers;
    out.sent += step_.tensors[std::size_t(span.tensor)].bytes;
  }
  out.peak = peaks_of(step_, placement, cluster_.size(), out.spans);
  return out;
}

void Simulator::reset(const Placement& placement) {
  const auto devices = std::size_t(cluster_.size());
  placement_ = &placement;
  now_ = end_ = 0;
  ended_ = 0;
  begins_.resize(step_.tasks.size());
  begun_.clear();
  events_ = {};
  missing_ = step_.inputs;
  ready_.assign(devices, {});
  place_.assign(devices, 0);
  is_busy_.assign(devices, 0);
  const auto links = std::size_t(cluster_.links());
  sent_.assign(links, 0);
  waiting_.assign(links, {});
  is_sending_.assign(links, 0);
  for (int task = 0; task < int(step_.tasks.size()); ++task) {
    if (missing_[std::size_t(task)] == 0) add_ready(task);
  }
  for (int device = 0; device < cluster_.size(); ++device) begin_next(device);
}

void Simulator::play() {
  while (!events_.is_empty()) {
    const auto event = events_.next();
    now_ = event.time;
    handle(event.what);
  }
  if (ended_ < step_.tasks.size()) end_ = std::numeric_limits<double>::infinity();
}

void Simulator::handle(const Happening& happening) {
  switch (happening.kind) {
    case Kind::task_ends: return end(happening.what);
    case Kind::device_is_free: is_busy_[std::size_t(happening.device)] = 0; return begin_next(happening.device);
    case Kind::tensor_arrives: return arrive(happening.what, happening.to);
    case Kind::link_is_free:
      is_sending_[std::size_t(happening.what)] = 0;
      return begin_transfer(happening.device, happening.what);
  }
}

void Simulator::end(int task) {
  end_ = now_;
  ++ended_;
  give_out(task);
}

void Simulator::add_ready(int task) {
  auto& ready = ready_[std::size_t(device_of(task))];
  const auto is_before = [this](int a, int b) { return priorities_[std::size_t(a)] > priorities_[std::size_t(b)]; };
  ready.insert(priorities_.empty() ? ready.end() : std::upper_bound(ready.begin(), ready.end(), task, is_before), task);
}

void Simulator::make_ready(int task) {
  add_ready(task);
  begin_next(device_of(task));
}

/// The task that a device computes now, if there is one.
std::optional<int> Simulator::take_next(int device) {
  auto& ready = ready_[std::size_t(device)];
  if (turns_.tasks.empty()) {
    if (ready.empty()) return std::nullopt;
    const int task = ready.front();
    ready.pop_front();
    return task;
  }
  const std::vector<int>& order = turns_.tasks[std::size_t(device)];
  std::size_t& place = place_[std::size_t(device)];
  if (place == order.size() || missing_[std::size_t(order[place])] > 0) return std::nullopt;
  return order[place++];
}

void Simulator::begin_next(int device) {
  if (is_busy_[std::size_t(device)]) return;
  const std::optional<int> next = take_next(device);
  if (!next) return;
  const int task = *next;
  const double seconds = step_.tasks[std::size_t(task)].seconds / cluster_.devices[std::size_t(device)].speed;
  is_busy_[std::size_t(device)] = 1;
  begins_[std::size_t(task)] = now_;
  begun_.push_back(task);
  if (spans_) spans_->push_back({now_, now_ + seconds, task, -1, device, device});
  events_.schedule(now_ + seconds, device, {Kind::task_ends, device, task, 0});
  events_.schedule(now_ + seconds + (seconds > 0 ? cluster_.task_gap : 0), device,
                   {Kind::device_is_free, device, 0, 0});
}

/// Tasks of the same device may read at once; others when the tensor has come.
void Simulator::give_out(int task) {
  for (const int tensor : step_.outputs[std::size_t(task)]) {
    for (const int reader : step_.tensors[std::size_t(tensor)].readers) {
      if (device_of(reader) == device_of(task) && --missing_[std::size_t(reader)] == 0) make_ready(reader);
    }
    send(tensor);
  }
}

void Simulator::send(int tensor) {
  const Tensor& what = step_.tensors[std::size_t(tensor)];
  const int from = device_of(what.from);
  has_tensor_.assign(std::size_t(cluster_.size()), 0);
  has_tensor_[std::size_t(from)] = 1;
  for (const int reader : what.readers) {
    const int to = device_of(reader);
    if (has_tensor_[std::size_t(to)]) continue;
    if (cluster_.link.broadcasts) return queue(from, kAll, tensor);
    has_tensor_[std::size_t(to)] = 1;
    queue(from, to, tensor);
  }
}

void Simulator::queue(int from, int to, int tensor) {
  const int link = cluster_.link_number(from, to);
  waiting_[std::size_t(link)].push_back({tensor, to});
  begin_transfer(from, link);
}

/// The tensor that a link sends now, if there is one.
std::optional<Simulator::Transfer> Simulator::take_transfer(int link) {
  auto& waiting = waiting_[std::size_t(link)];
  auto next = waiting.begin();
  if (!turns_.tensors.empty() && next != waiting.end()) {
    const int tensor = turns_.tensors[std::size_t(link)][sent_[std::size_t(link)]];
    next = std::find_if(next, waiting.end(), [&](const Transfer& one) { return one.tensor == tensor; });
  }
  if (next == waiting.end()) return std::nullopt;
  const Transfer transfer = *next;
  waiting.erase(next);
  ++sent_[std::size_t(link)];
  return transfer;
}

void Simulator::begin_transfer(int from, int link) {
  if (is_sending_[std::size_t(link)]) return;
  const std::optional<Transfer> next = take_transfer(link);
  if (!next) return;
  const auto [tensor, to] = *next;
  const Link& way = to == kAll ? cluster_.link : cluster_.between(from, to);
  const double end = now_ + way.seconds(step_.tensors[std::size_t(tensor)].bytes);
  is_sending_[std::size_t(link)] = 1;
  if (spans_) spans_->push_back({now_, end, -1, tensor, from, to});
  const int source = cluster_.size() + link;
  events_.schedule(end, source, {Kind::tensor_arrives, from, tensor, to});
  events_.schedule(end + way.gap, source, {Kind::link_is_free, from, link, 0});
}

void Simulator::arrive(int tensor, int to) {
  const Tensor& what = step_.tensors[std::size_t(tensor)];
  for (const int reader : what.readers) {
    const int device = device_of(reader);
    if (device == device_of(what.from) || (to != kAll && device != to)) continue;
    if (--missing_[std::size_t(reader)] == 0) make_ready(reader);
  }
}

Outcome outcome_of(const Step& step, const Cluster& cluster, const Placement& placement, const Turns& turns) {
  Simulator simulator(step, cluster);
  simulator.follow(turns);
  return simulator.outcome(placement);
}

}  // namespace dlrun::placement
