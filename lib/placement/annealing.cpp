// SPDX-License-Identifier: Apache-2.0
#include "placement/annealing.hpp"

#include <algorithm>

#include "util/arithmetic.hpp"

namespace dlrun::placement {

namespace {

constexpr double kHottest = 0.01, kCooling = 1e-3;
constexpr std::size_t kBall = 12;
constexpr std::uint64_t kLongestRun = 10;  ///< a run has at most n / 10 nodes

class Annealer {
 public:
  Annealer(const Graph& graph, const Order& order, int devices, RandomStream& chance)
      : order_(order), children_(children_of(graph)), devices_(devices), chance_(chance) {}

  /// Gives some nodes one device.
  void move(Placement& placement) {
    const auto device = int(chance_.below(std::uint64_t(devices_)));
    for (const int node : moved()) placement[std::size_t(node)] = device;
  }

 private:
  std::vector<int> moved() {
    const double kind = chance_.uniform();
    if (kind < 0.5) return {order_[chance_.below(order_.size())]};
    return kind < 0.75 ? stretch() : ball();
  }

  std::vector<int> stretch() {
    const std::size_t longest = std::max<std::size_t>(2, order_.size() / kLongestRun);
    const std::size_t begin = chance_.below(order_.size());
    const std::size_t end = std::min(order_.size(), begin + 1 + chance_.below(longest));
    return {order_.begin() + std::ptrdiff_t(begin), order_.begin() + std::ptrdiff_t(end)};
  }

  std::vector<int> ball() {
    std::vector<int> nodes{order_[chance_.below(order_.size())]};
    const std::size_t most = 2 + chance_.below(kBall - 1);
    for (std::size_t at = 0; at < nodes.size() && nodes.size() < most; ++at) {
      for (const int reader : children_[std::size_t(nodes[at])]) {
        if (nodes.size() < most && std::find(nodes.begin(), nodes.end(), reader) == nodes.end())
          nodes.push_back(reader);
      }
    }
    return nodes;
  }

  const Order& order_;
  Lists children_;
  int devices_;
  RandomStream& chance_;
};

bool is_taken(const Cost& tried, const Cost& cost, double temperature, RandomStream& chance) {
  if (!(cost < tried)) return true;
  if (tried.excess > cost.excess || temperature <= 0) return false;
  return chance.uniform() < arithmetic::exp((cost.seconds - tried.seconds) / temperature);
}

}  // namespace

Placement anneal(Evaluator& evaluator, const Graph& graph, const Order& order, Placement start, std::int64_t moves,
                 RandomStream& chance) {
  Annealer annealer(graph, order, evaluator.cluster().size(), chance);
  Cost cost = evaluator.cost(start), least = cost;
  Placement best = start;
  const double factor = arithmetic::pow(kCooling, 1.0 / double(std::max<std::int64_t>(1, moves)));
  double temperature = kHottest * cost.seconds;
  for (std::int64_t i = 0; i < moves && !evaluator.is_spent(); ++i) {
    temperature *= factor;
    Placement other = start;
    annealer.move(other);
    if (other == start) continue;
    const Cost tried = evaluator.cost(other);
    if (tried < least) {
      least = tried;
      best = other;
    }
    if (!is_taken(tried, cost, temperature, chance)) continue;
    cost = tried;
    start = std::move(other);
  }
  return best;
}

}  // namespace dlrun::placement
