// SPDX-License-Identifier: Apache-2.0
#include "exact/scheduling_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace dlrun::exact {

namespace {

using namespace placement;
using cpsat::Literal;
using cpsat::no;
using cpsat::Term;
using cpsat::Variable;

constexpr double kTicks = 1e7;          ///< in the longest step
constexpr double kTickRounding = 1e-6;  ///< ticks by which sums of seconds may be off
constexpr int kOthers = -1;             ///< as a transfer's destination: whatever device is not the producer's

/// Terms that add up factor × literal, and a constant.
class Sum {
 public:
  void add_term(std::int64_t factor, Literal literal) {
    if (literal >= 0) return terms.push_back({factor, literal});
    terms.push_back({-factor, no(literal)});
    constant += factor;
  }

  std::vector<Term> terms;
  std::int64_t constant = 0;
};

/// Nodes with most work first.
std::vector<int> heaviest_first(const Step& step) {
  std::vector<double> work(std::size_t(step.nodes()));
  for (const Task& task : step.tasks) work[std::size_t(task.node)] += task.seconds;
  std::vector<int> order(work.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return work[std::size_t(a)] > work[std::size_t(b)]; });
  return order;
}

/// A number for each device: where they are alike, as the order comes upon them; else its own.
std::vector<int> numbers_of(const Placement& placement, const std::vector<int>& order, const Cluster& cluster) {
  std::vector<int> numbers(std::size_t(cluster.size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  if (!cluster.has_equal_devices()) return numbers;
  std::fill(numbers.begin(), numbers.end(), -1);
  int next = 0;
  for (const int node : order) {
    int& number = numbers[std::size_t(placement[std::size_t(node)])];
    if (number < 0) number = next++;
  }
  return numbers;
}

class Modelling {
 public:
  Modelling(const Step& step, const Cluster& cluster, const Placement& known, const Turns& turns, double most,
            double least)
      : step_(step),
        cluster_(cluster),
        numbers_(numbers_of(known, heaviest_first(step), cluster)),
        outcome_(outcome_of(step, cluster, known, turns)) {
    for (const int device : known) known_.push_back(numbers_[std::size_t(device)]);
    out_.tick = most / kTicks;
    horizon_ = tick_at(most) + 1;
    end_ = out_.model.variable({tick_at(least), horizon_});
    lanes_.resize(std::size_t(cluster.size()) * std::size_t(cluster.size() + 1));
  }

  SchedulingModel build() {
    add_nodes();
    add_tasks();
    for (int tensor = 0; tensor < int(step_.tensors.size()); ++tensor) add_tensor(tensor);
    add_lanes();
    out_.model.minimize(end_);
    out_.model.suggest(end_, std::min(horizon_, tick_at(outcome_.seconds) + 1));
    return std::move(out_);
  }

 private:
  /// A device or a link, where things take turns.
  struct Lane {
    std::vector<int> intervals;
    Sum work;
    std::int64_t gap = 0;  ///< ticks behind the last, which need not have passed at the end
  };

  int devices() const { return cluster_.size(); }
  std::int64_t tick_at(double seconds) const { return std::int64_t(std::floor(seconds / out_.tick)); }
  std::int64_t ticks(double seconds) const {
    return std::int64_t(std::max(0.0, std::floor(seconds / out_.tick - kTickRounding)));
  }
  Literal on(int node, int device) const { return out_.is_on[std::size_t(node)][std::size_t(device)]; }
  /// The first node of the task's group, which decides for all of it.
  int node_of(int task) const { return step_.leader(step_.tasks[std::size_t(task)].node); }
  Variable begin(int task) const { return out_.begins[std::size_t(task)]; }
  double seconds(int task, int device) const {
    return step_.tasks[std::size_t(task)].seconds / cluster_.devices[std::size_t(device)].speed;
  }
  bool is_known_on(int node, int device) const { return known_[std::size_t(node)] == device; }

  void add_nodes() {
    for (int node = 0; node < step_.nodes(); ++node) {
      if (step_.leader(node) != node) {
        const auto of_leader = out_.is_on[std::size_t(step_.leader(node))];
        out_.is_on.push_back(of_leader);
        continue;
      }
      const Literal first = out_.model.literal();
      out_.is_on.push_back(devices() == 2 ? std::vector<Literal>{first, no(first)} : std::vector<Literal>{first});
      out_.model.suggest(first, is_known_on(node, 0));
      if (devices() == 2) continue;
      for (int device = 1; device < devices(); ++device) {
        out_.is_on.back().push_back(out_.model.literal());
        out_.model.suggest(on(node, device), is_known_on(node, device));
      }
      out_.model.require_one(out_.is_on.back());
    }
    if (cluster_.has_equal_devices()) add_numbering();
    add_memory();
  }

  /// Devices are numbered in one way, for placements that differ in the numbers alone are the same.
  void add_numbering() {
    const std::vector<int> order = heaviest_first(step_);
    for (int i = 0; i < std::min(devices(), int(order.size())); ++i) {
      for (int device = i + 1; device < devices(); ++device)
        out_.model.require_any({no(on(order[std::size_t(i)], device))});
    }
  }

  void add_memory() {
    for (int device = 0; device < devices(); ++device) {
      const std::int64_t memory = cluster_.devices[std::size_t(device)].memory;
      if (memory <= 0) continue;
      Sum bytes;
      for (int node = 0; node < step_.nodes(); ++node) bytes.add_term(step_.held_params(node), on(node, device));
      out_.model.require_sum(bytes.terms, {.most = memory - bytes.constant});
    }
  }

  void add_tasks() {
    for (const Task& task : step_.tasks) {
      (void)task;
      out_.begins.push_back(out_.model.variable({0, horizon_}));
    }
    for (const Span& span : outcome_.spans) {
      if (span.task >= 0) out_.model.suggest(begin(span.task), tick_at(span.begin));
    }
    for (int task = 0; task < int(step_.tasks.size()); ++task) {
      at_least_behind(task, end_);
      const double gap = seconds(task, 0) > 0 ? cluster_.task_gap : 0;
      for (int device = 0; device < devices(); ++device)
        take_turns(device, begin(task), seconds(task, device) + gap, on(node_of(task), device));
    }
    for (int device = 0; device < devices(); ++device) lanes_[std::size_t(device)].gap = tick_at(cluster_.task_gap) + 1;
  }

  void at_least_after(Variable later, Variable earlier, std::int64_t distance, const std::vector<Literal>& where = {}) {
    out_.model.require_sum({{1, later}, {-1, earlier}}, {.least = distance}, where);
  }

  /// `later` is not before the task's end and so many ticks more, wherever it is computed.
  void at_least_behind(int task, Variable later, std::int64_t distance = 0, const std::vector<Literal>& where = {}) {
    if (cluster_.has_equal_speeds())
      return at_least_after(later, begin(task), ticks(seconds(task, 0)) + distance, where);
    for (int device = 0; device < devices(); ++device) {
      std::vector<Literal> here = where;
      here.push_back(on(node_of(task), device));
      at_least_after(later, begin(task), ticks(seconds(task, device)) + distance, here);
    }
  }

  void take_turns(int lane, Variable begin, double seconds, Literal where) {
    const std::int64_t length = ticks(seconds);
    if (length == 0) return;
    lanes_[std::size_t(lane)].intervals.push_back(out_.model.interval(begin, length, where));
    lanes_[std::size_t(lane)].work.add_term(length, where);
  }

  /// Where the two nodes are on different devices.
  Literal are_apart(int a, int b) {
    const auto [found, is_new] = apart_.emplace(std::minmax(a, b), 0);
    if (!is_new) return found->second;
    const Literal apart = found->second = out_.model.literal();
    out_.model.suggest(apart, known_[std::size_t(a)] != known_[std::size_t(b)]);
    for (int device = 0; device < devices(); ++device) {
      out_.model.require_any({no(on(a, device)), on(b, device), apart});
      out_.model.require_any({no(on(a, device)), no(on(b, device)), no(apart)});
    }
    return apart;
  }

  void add_tensor(int number) {
    const Tensor& tensor = step_.tensors[std::size_t(number)];
    std::vector<int> remote;
    for (const int reader : tensor.readers) {
      at_least_behind(tensor.from, begin(reader));
      if (node_of(reader) != node_of(tensor.from)) remote.push_back(reader);
    }
    if (remote.empty()) return;
    // One transfer at most where there are two devices, or where it serves all.
    if (cluster_.link.broadcasts || devices() == 2) return add_transfer(number, remote, kOthers);
    for (int device = 0; device < devices(); ++device) add_transfer(number, remote, device);
  }

  const Link& way(int from, int to) const {
    if (to != kOthers) return cluster_.between(from, to);
    return devices() == 2 ? cluster_.between(0, 1) : cluster_.link;
  }

  /// Devices that the tensor may come from, where that makes a difference; else the first of them.
  std::vector<int> sources(int to) const {
    if (to == kOthers) return {0};
    std::vector<int> all;
    for (int from = 0; from < devices(); ++from) {
      if (from != to) all.push_back(from);
    }
    if (cluster_.pairs.empty()) all.resize(1);
    return all;
  }

  void add_transfer(int number, const std::vector<int>& readers, int to) {
    const Tensor& tensor = step_.tensors[std::size_t(number)];
    const Variable start = out_.model.variable({0, horizon_});
    out_.travels.push_back({number, to, start});
    out_.model.suggest(start, known_start(number, to));
    at_least_behind(tensor.from, start);
    for (const int reader : readers) add_arrival(tensor, start, reader, to);
    for (int from = 0; from < devices(); ++from) {
      if (from != to) add_travel(tensor, readers, start, from, to);
    }
  }

  /// The reader waits for the transfer where it is on the device `to`, and its producer is not.
  void add_arrival(const Tensor& tensor, Variable start, int reader, int to) {
    const Literal apart = are_apart(node_of(tensor.from), node_of(reader));
    const std::vector<int> all = sources(to);
    std::int64_t least = horizon_;
    for (const int from : all) {
      std::vector<Literal> where{apart};
      if (to != kOthers) where.push_back(on(node_of(reader), to));
      if (all.size() > 1) where.push_back(on(node_of(tensor.from), from));
      const std::int64_t distance = ticks(way(from, to).seconds(tensor.bytes));
      at_least_after(begin(reader), start, distance, where);
      least = std::min(least, distance);
    }
    // Follows from the turns of the transfer, but is seen sooner.
    const bool is_same_everywhere = to == kOthers || (to == 0 && cluster_.pairs.empty());
    if (is_same_everywhere) at_least_behind(tensor.from, begin(reader), least, {apart});
  }

  /// The transfer's turn on the link from one device, where it takes that one.
  void add_travel(const Tensor& tensor, const std::vector<int>& readers, Variable start, int from, int to) {
    const Literal travels = out_.model.literal();
    const int node = node_of(tensor.from);
    bool is_known = false;
    for (const int reader : readers) {
      const int other = node_of(reader);
      const Literal is_elsewhere = to == kOthers ? no(on(other, from)) : on(other, to);
      out_.model.require_any({no(on(node, from)), no(is_elsewhere), travels});
      is_known |= is_known_on(node, from) && (to == kOthers ? !is_known_on(other, from) : is_known_on(other, to));
    }
    out_.model.require_any({no(travels), on(node, from)});
    out_.model.suggest(travels, is_known);
    take_turns(link_of(from, to), start, way(from, to).seconds(tensor.bytes) + way(from, to).gap, travels);
    lanes_[std::size_t(link_of(from, to))].gap = tick_at(way(from, to).gap) + 1;
  }

  int link_of(int from, int to) const { return devices() + from * devices() + std::max(to, 0); }

  std::int64_t known_start(int tensor, int to) const {
    for (const Span& span : outcome_.spans) {
      if (span.tensor == tensor && (to == kOthers || numbers_[std::size_t(span.to)] == to)) return tick_at(span.begin);
    }
    return horizon_;
  }

  /// A lane has no less time than its work takes, which follows from the turns, but is seen sooner.
  void add_lanes() {
    for (Lane& lane : lanes_) {
      if (lane.intervals.empty()) continue;
      out_.model.require_no_overlap(lane.intervals);
      lane.work.terms.push_back({-1, end_});
      out_.model.require_sum(lane.work.terms, {.most = lane.gap - lane.work.constant});
    }
  }

  const Step& step_;
  const Cluster& cluster_;
  const std::vector<int> numbers_;  ///< the devices of `outcome_` have here
  const Outcome outcome_;
  Placement known_;
  SchedulingModel out_;
  std::int64_t horizon_ = 0;
  Variable end_ = 0;
  std::vector<Lane> lanes_;  ///< devices, then links
  std::map<std::pair<int, int>, Literal> apart_;
};

}  // namespace

Placement SchedulingModel::placement_of(const std::vector<std::int64_t>& values) const {
  Placement placement;
  const auto holds = [&](Literal literal) {
    return literal >= 0 ? values[std::size_t(literal)] != 0 : values[std::size_t(no(literal))] == 0;
  };
  for (const auto& devices : is_on)
    placement.push_back(int(std::find_if(devices.begin(), devices.end(), holds) - devices.begin()));
  return placement;
}

SchedulingModel scheduling_model(const Step& step, const Cluster& cluster, const Placement& known, double most,
                                 double least, const Turns& turns) {
  return Modelling(step, cluster, known, turns, most, least).build();
}

}  // namespace dlrun::exact
