// SPDX-License-Identifier: Apache-2.0
#include "placement/branching.hpp"

#include <algorithm>

namespace dlrun::placement {

namespace {

constexpr int kUndecided = -1;
constexpr std::int64_t kBranchesOfEach = 4;  ///< nodes placed at most, over placements tried at most
constexpr double kRounding = 1 - 1e-9;       ///< sums are in another order than the simulator's

class Branching {
 public:
  explicit Branching(Evaluator& evaluator)
      : evaluator_(evaluator),
        step_(evaluator.step()),
        cluster_(evaluator.cluster()),
        inputs_(inputs_of(step_)),
        order_(producers_first(step_)),
        placement_(std::size_t(step_.nodes()), kUndecided),
        branches_left_(kBranchesOfEach * evaluator.left()) {
    for (const Device& device : cluster_.devices) fastest_ = std::max(fastest_, device.speed);
    for (const int task : order_) {
      const Task& own = step_.tasks[std::size_t(task)];
      if (!own.is_backward && step_.leader(own.node) == own.node) nodes_.push_back(own.node);
    }
  }

  bool try_all() {
    branch(0);
    return is_complete_;
  }

 private:
  int device_of(int task) const { return placement_[std::size_t(step_.leader(step_.tasks[std::size_t(task)].node))]; }

  void branch(std::size_t depth) {
    if (depth == nodes_.size())
      return void(evaluator_.cost(placement_));  // the others of each group go where its first is
    for (int device = 0; device < cluster_.size(); ++device) {
      if (is_like_an_unused_one(device)) continue;
      if (evaluator_.is_spent() || --branches_left_ < 0) {
        is_complete_ = false;
        break;
      }
      placement_[std::size_t(nodes_[depth])] = device;
      if (may_be_better()) branch(depth + 1);
    }
    placement_[std::size_t(nodes_[depth])] = kUndecided;
  }

  bool is_used(int device) const { return std::find(placement_.begin(), placement_.end(), device) != placement_.end(); }

  bool is_like_an_unused_one(int device) const {
    for (int other = 0; other < device; ++other) {
      if (cluster_.are_alike(other, device) && !is_used(other) && !is_used(device)) return true;
    }
    return false;
  }

  bool may_be_better() const {
    if (!evaluator_.has_best()) return true;
    if (excess_of_parameters() > evaluator_.best_cost().excess) return false;
    if (evaluator_.best_cost().excess > 0) return true;
    return std::max(most_work(), longest_way()) * kRounding < evaluator_.best_cost().seconds;
  }

  /// Excess of the parameters alone.
  double excess_of_parameters() const {
    Outcome held;
    held.peak.resize(std::size_t(cluster_.size()));
    for (int node = 0; node < step_.nodes(); ++node) {
      const int device = placement_[std::size_t(step_.leader(node))];
      if (device != kUndecided) held.peak[std::size_t(device)] += step_.held_params(node);
    }
    return excess_of(held, cluster_);
  }

  double seconds(int task) const {
    const int device = device_of(task);
    return step_.tasks[std::size_t(task)].seconds /
           (device == kUndecided ? fastest_ : cluster_.devices[std::size_t(device)].speed);
  }

  double most_work() const {
    std::vector<double> work(std::size_t(cluster_.size()));
    for (int task = 0; task < int(step_.tasks.size()); ++task) {
      if (device_of(task) != kUndecided) work[std::size_t(device_of(task))] += seconds(task);
    }
    return *std::max_element(work.begin(), work.end());
  }

  double longest_way() const {
    std::vector<double> end(step_.tasks.size());
    for (const int task : order_) {
      double begin = 0;
      for (const int input : inputs_[std::size_t(task)]) {
        const Tensor& tensor = step_.tensors[std::size_t(input)];
        const int from = device_of(tensor.from), to = device_of(task);
        const bool travels = from != kUndecided && to != kUndecided && from != to;
        const double travel = travels ? cluster_.between(from, to).seconds(tensor.bytes) : 0;
        begin = std::max(begin, end[std::size_t(tensor.from)] + travel);
      }
      end[std::size_t(task)] = begin + seconds(task);
    }
    return *std::max_element(end.begin(), end.end());
  }

  Evaluator& evaluator_;
  const Step& step_;
  const Cluster& cluster_;
  Lists inputs_;
  std::vector<int> order_;  ///< tasks behind those that they read
  std::vector<int> nodes_;  ///< in that order
  Placement placement_;
  double fastest_ = 0;  ///< speed
  std::int64_t branches_left_;
  bool is_complete_ = true;
};

}  // namespace

bool try_all(Evaluator& evaluator) { return Branching(evaluator).try_all(); }

}  // namespace dlrun::placement
