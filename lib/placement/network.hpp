// SPDX-License-Identifier: Apache-2.0
// A small neural network: dense layers with ReLU between them. Gradients are written by hand, and one example is
// computed at a time, so that no blocking of matrix products changes the order of a sum.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "util/random.hpp"

namespace dlrun::placement {

class Network {
 public:
  using Vector = Eigen::VectorXd;

  /// Hidden layers begin as He et al. 2015 draw them. The last layer is 0, and so are all outputs at first.
  /// @param widths  of the input, the hidden layers and the output
  Network(const std::vector<int>& widths, RandomStream& chance);

  Vector outputs(const Vector& input) const;
  /// Adds to `gradient` the derivatives of the sum of outputs(input), each weighted by `weights`, by all parameters.
  void add_gradient(const Vector& input, const Vector& weights, Vector& gradient) const;

  Vector& parameters() { return parameters_; }
  const Vector& parameters() const { return parameters_; }

 private:
  struct Layer {
    Eigen::Index inputs = 0, outputs = 0;
    Eigen::Index matrix = 0, bias = 0;  ///< first index among the parameters
  };

  /// The input of each layer, and the output behind them.
  std::vector<Vector> activations(const Vector& input) const;
  Vector through(const Layer& layer, const Vector& input) const;

  std::vector<Layer> layers_;
  Vector parameters_;
};

/// Steps of Adam (Kingma and Ba 2015) up a gradient.
class Ascent {
 public:
  /// @param longest  a gradient with a larger norm is scaled down to it
  Ascent(double rate, double longest) : rate_(rate), longest_(longest) {}
  void climb(Network::Vector& parameters, Network::Vector gradient);

 private:
  double rate_, longest_;
  double first_share_ = 1, second_share_ = 1;  ///< share of each moment that is still its zero at the start
  Network::Vector first_, second_;
};

}  // namespace dlrun::placement
