// SPDX-License-Identifier: Apache-2.0
#include "placement/pipeline.hpp"

#include <algorithm>
#include <limits>

#include "placement/loads.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr double kTooMuch = std::numeric_limits<double>::infinity();

/// Best splits of the first `end` classes of an order over so many accelerators and processors.
class Linearizer {
 public:
  Linearizer(const Workload& work, const Neighbours& neighbours, std::vector<int> order)
      : work_(work), order_(std::move(order)), accelerator_(work, neighbours, false), cpu_(work, neighbours, true) {
    const std::size_t cells = (order_.size() + 1) * std::size_t(work.accelerators + 1) * std::size_t(work.cpus + 1);
    cells_.resize(cells);
    cell(0, 0, 0).most = 0;
  }

  /// The pieces begin where earlier ones end: every cell of `begin` is known when its pieces are tried.
  double find_least() {
    for (std::size_t begin = 0; begin < order_.size(); ++begin) extend(begin);
    for (int a = 0; a <= work_.accelerators; ++a) {
      for (int c = 0; c <= work_.cpus; ++c) {
        if (cell(order_.size(), a, c).most < least_) {
          least_ = cell(order_.size(), a, c).most;
          last_ = {a, c};
        }
      }
    }
    return least_;
  }

  Split split() {
    Split split(work_.classes.size());
    auto [a, c] = last_;
    for (std::size_t end = order_.size(); end > 0;) {
      const Cell& at = cell(end, a, c);
      const int device = at.is_cpu ? work_.accelerators + --c : --a;
      for (std::size_t i = at.begin; i < end; ++i) split[std::size_t(order_[i])] = device;
      end = at.begin;
    }
    return split;
  }

 private:
  struct Cell {
    double most = kTooMuch;  ///< largest load so far
    std::size_t begin = 0;   ///< where the last piece begins
    bool is_cpu = false;     ///< the last piece's device is a processor
  };

  Cell& cell(std::size_t end, int accelerators, int cpus) {
    const std::size_t row = end * std::size_t(work_.accelerators + 1) + std::size_t(accelerators);
    return cells_[row * std::size_t(work_.cpus + 1) + std::size_t(cpus)];
  }

  /// All pieces from `begin` on.
  void extend(std::size_t begin) {
    accelerator_.clear();
    cpu_.clear();
    for (std::size_t end = begin + 1; end <= order_.size(); ++end) {
      accelerator_.add_class(order_[end - 1]);
      cpu_.add_class(order_[end - 1]);
      put(begin, end, accelerator_.seconds(), false);
      put(begin, end, cpu_.seconds(), true);
    }
  }

  void put(std::size_t begin, std::size_t end, double load, bool is_cpu) {
    for (int a = is_cpu ? 0 : 1; a <= work_.accelerators; ++a) {
      for (int c = is_cpu ? 1 : 0; c <= work_.cpus; ++c) {
        const double most = std::max(load, cell(begin, a - (is_cpu ? 0 : 1), c - (is_cpu ? 1 : 0)).most);
        if (most < cell(end, a, c).most) cell(end, a, c) = {most, begin, is_cpu};
      }
    }
  }

  const Workload& work_;
  std::vector<int> order_;
  DeviceLoad accelerator_, cpu_;
  std::vector<Cell> cells_;
  double least_ = kTooMuch;
  std::pair<int, int> last_;
};

/// Loads of all devices under a split that changes.
class Loads {
 public:
  Loads(const Workload& work, const Neighbours& neighbours) : work_(work) {
    for (int device = 0; device < work.accelerators + work.cpus; ++device)
      devices_.emplace_back(work, neighbours, device >= work.accelerators);
  }

  void set(const Split& split) {
    for (DeviceLoad& device : devices_) device.clear();
    split_ = split;
    for (std::size_t i = 0; i < split.size(); ++i) devices_[std::size_t(split[i])].add_class(int(i));
  }

  void move(int of_class, int device) {
    devices_[std::size_t(split_[std::size_t(of_class)])].remove(of_class);
    devices_[std::size_t(device)].add_class(of_class);
    split_[std::size_t(of_class)] = device;
  }

  double most() const {
    double most = 0;
    for (const DeviceLoad& device : devices_) most = std::max(most, device.seconds());
    return most;
  }

  /// Devices' loads, the largest first: a lower second one is progress too.
  std::vector<double> sorted() const {
    std::vector<double> loads;
    for (const DeviceLoad& device : devices_) loads.push_back(device.seconds());
    std::sort(loads.rbegin(), loads.rend());
    return loads;
  }

  const Split& split() const { return split_; }

 private:
  const Workload& work_;
  std::vector<DeviceLoad> devices_;
  Split split_;
};

/// The move with the lowest loads. @return whether it is better than none
bool best_move(const Workload& work, Loads& loads) {
  std::vector<double> least = loads.sorted();
  int chosen = -1, target = 0;
  for (int one = 0; one < int(work.classes.size()); ++one) {
    const int home = loads.split()[std::size_t(one)];
    for (int device = 0; device < work.accelerators + work.cpus; ++device) {
      if (device == home) continue;
      loads.move(one, device);
      std::vector<double> tried = loads.sorted();
      if (tried < least) {
        least = std::move(tried);
        chosen = one;
        target = device;
      }
    }
    loads.move(one, home);
  }
  if (chosen >= 0) loads.move(chosen, target);
  return chosen >= 0;
}

}  // namespace

double largest_load(const Workload& work, const Split& split) {
  const Neighbours neighbours(work);
  Loads loads(work, neighbours);
  loads.set(split);
  return loads.most();
}

double load_of_one(const Workload& work) {
  double sum = 0;
  for (const Item& item : work.items) sum += work.accelerators > 0 ? item.accelerated : item.on_cpu;
  return sum;
}

Split linearize(const Workload& work) {
  const Neighbours neighbours(work);
  Split best;
  double least = kTooMuch;
  for (const bool is_level : {false, true}) {
    Linearizer linearizer(work, neighbours, class_order(work, is_level));
    const double most = linearizer.find_least();
    if (!(most < least)) continue;
    least = most;
    best = linearizer.split();
  }
  if (best.empty()) throw Error(ErrorKind::usage, "no split along an order fits in the accelerators' memory");
  return best;
}

Split local_search(const Workload& work, const Split& start, int restarts, RandomStream& chance) {
  const Neighbours neighbours(work);
  Loads loads(work, neighbours);
  Split best = start;
  double least = kTooMuch;
  const int drawn = work.accelerators > 0 ? work.accelerators : work.cpus;
  for (int i = -1; i < restarts; ++i) {
    Split split = start;
    for (int& device : split) {
      if (i >= 0) device = int(chance.below(std::uint64_t(drawn)));
    }
    loads.set(split);
    while (best_move(work, loads)) {
    }
    if (loads.most() >= least) continue;
    least = loads.most();
    best = loads.split();
  }
  return best;
}

}  // namespace dlrun::placement
