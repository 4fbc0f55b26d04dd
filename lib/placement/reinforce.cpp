// SPDX-License-Identifier: Apache-2.0
#include "placement/reinforce.hpp"

#include <algorithm>

#include "util/arithmetic.hpp"

namespace dlrun::placement {

namespace {

/// A placement over its memory counts as if it took longer: 1 % over costs 10 %.
constexpr double kExcessWeight = 10;

}  // namespace

Reinforce::Reinforce(Evaluator& evaluator, const Graph& graph, const Order& order, RandomStream& chance,
                     const ReinforceOptions& options)
    : evaluator_(evaluator),
      order_(order),
      chance_(chance),
      options_(options),
      observations_(graph, evaluator.cluster().size()),
      policy_(observations_.size(), evaluator.cluster().size(), chance),
      ascent_(options.rate, options.longest),
      sums_(order.size()) {}

Placement Reinforce::learn(const Placement& start) {
  best_ = start;
  best_cost_ = evaluator_.cost(start);
  const auto all = double(std::max<std::int64_t>(1, evaluator_.left()));
  for (int i = 0; !evaluator_.is_spent() && best_cost_.seconds > 0; ++i) {
    const bool draws = i % options_.likeliest_every != 0;
    const double entropy = options_.entropy * double(evaluator_.left()) / all;
    const Episode episode = play(best_, draws);
    if (draws && episode.is_whole) learn_from(episode, entropy);
  }
  return best_;
}

/// Log of the seconds. The best placement is kept.
double Reinforce::value_of(const Placement& placement) {
  cost_ = evaluator_.cost(placement);
  if (cost_ < best_cost_) {
    best_cost_ = cost_;
    best_ = placement;
  }
  return arithmetic::log(cost_.seconds * (1 + kExcessWeight * cost_.excess));
}

Reinforce::Episode Reinforce::play(Placement placement, bool draws) {
  Episode episode;
  observations_.begin(placement);
  episode.values.push_back(value_of(placement));
  for (const int node : order_) {
    if (evaluator_.is_spent()) return episode;
    int& device = placement[std::size_t(node)];
    const int before = device;
    Decision decision{observations_.of(node, {placement, evaluator_.begins(), cost_.seconds})};
    device = draws ? policy_.draw(decision.observation, chance_) : policy_.likeliest(decision.observation);
    decision.device = device;
    evaluator_.move(placement, node, device);
    observations_.decide(node, before, device);
    episode.decisions.push_back(std::move(decision));
    episode.values.push_back(value_of(placement));
  }
  episode.is_whole = true;
  return episode;
}

/// The sum of rewards from each decision on, less what it was in past episodes.
std::vector<double> Reinforce::advantages(const std::vector<double>& values) {
  std::vector<double> returns;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) returns.push_back(values[i] - values.back());
  std::vector<double> advantages = returns;
  for (std::size_t i = 0; i < returns.size() && !returns_.empty(); ++i)
    advantages[i] -= sums_[i] / double(returns_.size());
  for (std::size_t i = 0; i < returns.size(); ++i) sums_[i] += returns[i];
  returns_.push_back(std::move(returns));
  if (returns_.size() <= options_.past_episodes) return advantages;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] -= returns_.front()[i];
  returns_.pop_front();
  return advantages;
}

void Reinforce::learn_from(const Episode& episode, double entropy) {
  Policy::Vector& parameters = policy_.network().parameters();
  Policy::Vector gradient = Policy::Vector::Zero(parameters.size());
  const std::vector<double> advantage = advantages(episode.values);
  for (std::size_t i = 0; i < advantage.size(); ++i) {
    const Decision& decision = episode.decisions[i];
    policy_.add_gradient(decision.observation, decision.device, advantage[i], entropy, gradient);
  }
  ascent_.climb(parameters, std::move(gradient));
}

double Reinforce::probability(const Placement& placement, int node, int device) {
  const Cost cost = evaluator_.cost(placement);
  observations_.begin(placement);
  for (const int other : order_) {
    if (other == node) break;
    observations_.decide(other, placement[std::size_t(other)], placement[std::size_t(other)]);
  }
  return policy_.probabilities(observations_.of(node, {placement, evaluator_.begins(), cost.seconds}))[device];
}

}  // namespace dlrun::placement
