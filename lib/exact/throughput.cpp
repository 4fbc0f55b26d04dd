// SPDX-License-Identifier: Apache-2.0
#include "exact/throughput.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace dlrun::exact {

namespace {

using namespace placement;
using cpsat::Literal;
using cpsat::no;

constexpr double kLoadTicks = 1e7;   ///< in the known load
constexpr double kMostUnits = 1e15;  ///< most that all sizes make together: the solver sums whole numbers

/// Bytes, unless that makes too large numbers.
double unit_of(const Workload& work) {
  double bytes = 0;
  for (const Item& item : work.items) bytes += item.bytes;
  return std::max(1.0, bytes / kMostUnits);
}

class SplitModel {
 public:
  SplitModel(const Workload& work, const Split& known)
      : work_(work), known_(renumbered(known)), tick_(largest_load(work, known) / kLoadTicks), unit_(unit_of(work)) {
    most_ = model_.variable({0, std::int64_t(kLoadTicks) + 1});
    readers_.resize(work.items.size());
    for (const auto& [from, to] : work.edges) {
      if (class_of(from) != class_of(to)) readers_[std::size_t(from)].insert(class_of(to));
    }
  }

  ProvenSplit solve(const cpsat::Solver& solver, const cpsat::Limits& limits) {
    add_classes();
    for (int device = 0; device < devices(); ++device) add_load(device);
    model_.minimize(most_);
    const cpsat::Answer answer = solver.solve(model_, limits);
    const Split found = answer.values.empty() ? known_ : split_of(answer.values);
    const double known = largest_load(work_, known_), load = largest_load(work_, found);
    return {load < known ? found : known_, std::min({answer.least * tick_, known, load})};
  }

 private:
  int devices() const { return work_.accelerators + work_.cpus; }
  bool is_cpu(int device) const { return device >= work_.accelerators; }
  int class_of(int item) const { return work_.class_of[std::size_t(item)]; }
  Literal on(int of_class, int device) const { return on_[std::size_t(of_class)][std::size_t(device)]; }
  std::int64_t ticks(double seconds) const { return std::int64_t(std::floor(seconds / tick_)); }

  /// Classes with most work first.
  std::vector<int> heaviest_classes() const {
    std::vector<double> seconds;
    for (const Class& one : work_.classes) {
      seconds.push_back(0);
      for (const int item : one.members) seconds.back() += work_.items[std::size_t(item)].accelerated;
    }
    std::vector<int> order(seconds.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return seconds[std::size_t(a)] > seconds[std::size_t(b)]; });
    return order;
  }

  /// Accelerators are numbered as the heaviest classes come upon them.
  Split renumbered(const Split& split) const {
    std::vector<int> number(std::size_t(devices()), -1);
    int next = 0;
    Split out = split;
    for (const int one : heaviest_classes()) {
      const int device = split[std::size_t(one)];
      if (is_cpu(device)) continue;
      if (number[std::size_t(device)] < 0) number[std::size_t(device)] = next++;
      out[std::size_t(one)] = number[std::size_t(device)];
    }
    return out;
  }

  void add_classes() {
    for (std::size_t one = 0; one < work_.classes.size(); ++one) {
      on_.emplace_back();
      for (int device = 0; device < devices(); ++device) {
        on_.back().push_back(model_.literal());
        model_.suggest(on_.back().back(), known_[one] == device);
      }
      model_.require_one(on_.back());
    }
    const std::vector<int> order = heaviest_classes();
    for (int i = 0; i < std::min(work_.accelerators, int(order.size())); ++i) {
      for (int device = i + 1; device < work_.accelerators; ++device)
        model_.require_any({no(on(order[std::size_t(i)], device))});
    }
  }

  void add_load(int device) {
    std::vector<cpsat::Term> load{{-1, most_}};
    std::vector<std::int64_t> work(on_.size()), bytes(on_.size());
    for (int item = 0; item < int(work_.items.size()); ++item) {
      const Item& one = work_.items[std::size_t(item)];
      work[std::size_t(class_of(item))] += ticks(is_cpu(device) ? one.on_cpu : one.accelerated);
      bytes[std::size_t(class_of(item))] += std::int64_t(one.bytes / unit_);
      if (is_cpu(device)) continue;
      if (!one.can_be_accelerated) model_.require_any({no(on(class_of(item), device))});
      if (!readers_[std::size_t(item)].empty() && ticks(one.transfer) > 0)
        load.push_back({ticks(one.transfer), travels(item, device)});
    }
    for (std::size_t one = 0; one < on_.size(); ++one) load.push_back({work[one], on(int(one), device)});
    model_.require_sum(load, {.most = 0});
    if (is_cpu(device)) return;
    std::vector<cpsat::Term> held;
    for (std::size_t one = 0; one < on_.size(); ++one) held.push_back({bytes[one], on(int(one), device)});
    model_.require_sum(held, {.most = std::int64_t(std::ceil(std::min(work_.memory / unit_, kMostUnits)))});
  }

  /// Whether an item's output goes to the device or comes from it: never both, and once.
  Literal travels(int item, int device) {
    const Literal travels = model_.literal(), here = on(class_of(item), device);
    bool is_known = false;
    for (const int reader : readers_[std::size_t(item)]) {
      const Literal there = on(reader, device);
      model_.require_any({no(here), there, travels});
      model_.require_any({here, no(there), travels});
      is_known |= (known_[std::size_t(class_of(item))] == device) != (known_[std::size_t(reader)] == device);
    }
    model_.suggest(travels, is_known);
    return travels;
  }

  Split split_of(const std::vector<std::int64_t>& values) const {
    Split split;
    for (const auto& devices : on_) {
      const auto found = std::find_if(devices.begin(), devices.end(),
                                      [&](Literal literal) { return values[std::size_t(literal)] != 0; });
      split.push_back(int(found - devices.begin()));
    }
    return split;
  }

  const Workload& work_;
  const Split known_;
  const double tick_;
  const double unit_;  ///< bytes in each unit of memory
  cpsat::Model model_;
  cpsat::Variable most_ = 0;
  std::vector<std::vector<Literal>> on_;  ///< for each class and device
  std::vector<std::set<int>> readers_;    ///< other classes that read each item
};

}  // namespace

ProvenSplit best_split(const Workload& work, const Split& known, const cpsat::Solver& solver,
                       const cpsat::Limits& limits) {
  if (largest_load(work, known) <= 0) return {known, 0};
  return SplitModel(work, known).solve(solver, limits);
}

}  // namespace dlrun::exact
