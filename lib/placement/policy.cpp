// SPDX-License-Identifier: Apache-2.0
#include "placement/policy.hpp"

#include "util/arithmetic.hpp"

namespace dlrun::placement {

namespace {

using Vector = Network::Vector;

constexpr int kHidden = 32;

double entropy_of(const Vector& probabilities) {
  double entropy = 0;
  for (const double p : probabilities) entropy -= p > 0 ? p * arithmetic::log(p) : 0;
  return entropy;
}

}  // namespace

Policy::Policy(int numbers, int devices, RandomStream& chance) : network_({numbers, kHidden, devices}, chance) {}

Vector Policy::probabilities(const Vector& observation) const {
  Vector p = network_.outputs(observation);
  p.array() -= p.maxCoeff();
  for (double& x : p) x = arithmetic::exp(x);
  return p / p.sum();
}

int Policy::draw(const Vector& observation, RandomStream& chance) const {
  const Vector p = probabilities(observation);
  double left = chance.uniform();
  int device = 0;
  while (device + 1 < p.size() && left >= p[device]) left -= p[device++];
  return device;
}

int Policy::likeliest(const Vector& observation) const {
  Eigen::Index device = 0;
  network_.outputs(observation).maxCoeff(&device);
  return int(device);
}

// By the outputs z: log p(device) has the derivatives [i = device] - p(i), and H has -p(i) (log p(i) + H).
void Policy::add_gradient(const Vector& observation, int device, double advantage, double weight,
                          Vector& gradient) const {
  const Vector p = probabilities(observation);
  const double entropy = entropy_of(p);
  Vector by_output = -advantage * p;
  by_output[device] += advantage;
  for (Eigen::Index i = 0; i < p.size(); ++i)
    by_output[i] -= p[i] > 0 ? weight * p[i] * (arithmetic::log(p[i]) + entropy) : 0;
  network_.add_gradient(observation, by_output, gradient);
}

}  // namespace dlrun::placement
