// SPDX-License-Identifier: Apache-2.0
// A policy: the probability of each device for the node that is decided next.
#pragma once
#include "placement/network.hpp"

namespace dlrun::placement {

class Policy {
 public:
  using Vector = Network::Vector;

  /// All devices are equally probable at first.
  /// @param numbers  length of an observation
  Policy(int numbers, int devices, RandomStream& chance);

  Vector probabilities(const Vector& observation) const;
  /// A device at random, by its probability.
  int draw(const Vector& observation, RandomStream& chance) const;
  int likeliest(const Vector& observation) const;

  /// Adds to `gradient` that of advantage · log p(device) + weight · H(p), where H is the entropy in nats.
  void add_gradient(const Vector& observation, int device, double advantage, double weight, Vector& gradient) const;

  Network& network() { return network_; }

 private:
  Network network_;
};

}  // namespace dlrun::placement
