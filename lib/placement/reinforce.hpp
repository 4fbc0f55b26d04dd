// SPDX-License-Identifier: Apache-2.0
// A policy that learns by REINFORCE (Williams 1992) where each node of an order goes: Placeto (Addanki et al. 2019)
// with a small network of hand-made features. Episodes begin with the best placement so far, and decide node after
// node; the reward of a decision is log(seconds before) - log(seconds after). Published programs have the opposite
// sign.
#pragma once
#include <deque>

#include "placement/evaluator.hpp"
#include "placement/observations.hpp"
#include "placement/policy.hpp"

namespace dlrun::placement {

/// Entropy is dlrun's choice; the others are those of Placeto's program.
struct ReinforceOptions {
  double entropy = 0.05;             ///< weight in the first episode; it falls linearly to 0
  double rate = 1e-3;                ///< Adam's
  double longest = 1.25;             ///< norm of a gradient
  int likeliest_every = 5;           ///< so many episodes one takes the likeliest devices, and teaches nothing
  std::size_t past_episodes = 1000;  ///< the baseline of a decision is its mean return in the last episodes
};

class Reinforce {
 public:
  /// All references must outlive it.
  Reinforce(Evaluator& evaluator, const Graph& graph, const Order& order, RandomStream& chance,
            const ReinforceOptions& options = {});

  /// Episodes until the evaluator is spent.
  /// @return the best placement that was visited, the start among them
  Placement learn(const Placement& start);

  /// The policy's probability of a device for a node, all nodes before it in the order being decided.
  double probability(const Placement& placement, int node, int device);

 private:
  struct Decision {
    Policy::Vector observation;
    int device = 0;
  };
  struct Episode {
    std::vector<Decision> decisions;
    std::vector<double> values;  ///< log seconds before the first decision, and after each
    bool is_whole = false;       ///< the evaluator was not spent
  };

  Episode play(Placement placement, bool draws);
  double value_of(const Placement& placement);
  void learn_from(const Episode& episode, double entropy);
  std::vector<double> advantages(const std::vector<double>& values);

  Evaluator& evaluator_;
  const Order& order_;
  RandomStream& chance_;
  ReinforceOptions options_;
  Observations observations_;
  Policy policy_;
  Ascent ascent_;
  Cost cost_, best_cost_;  ///< the last placement's and the best one's
  Placement best_;
  std::deque<std::vector<double>> returns_;  ///< past episodes
  std::vector<double> sums_;                 ///< sums of returns_, by decision
};

}  // namespace dlrun::placement
