// SPDX-License-Identifier: Apache-2.0
#include "placement/network.hpp"

#include <cmath>

namespace dlrun::placement {

namespace {

using Vector = Network::Vector;
using Matrix = Eigen::Map<Eigen::MatrixXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

constexpr double kFirstDecay = 0.9, kSecondDecay = 0.999, kLeastDivisor = 1e-8;  // the paper's

}  // namespace

Network::Network(const std::vector<int>& widths, RandomStream& chance) {
  Eigen::Index size = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const Eigen::Index inputs = widths[i - 1], outputs = widths[i];
    layers_.push_back({inputs, outputs, size, size + inputs * outputs});
    size += (inputs + 1) * outputs;
  }
  parameters_ = Vector::Zero(size);
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    const double deviation = std::sqrt(2.0 / double(layers_[i].inputs));
    for (Eigen::Index at = layers_[i].matrix; at < layers_[i].bias; ++at) parameters_[at] = deviation * chance.normal();
  }
}

Vector Network::through(const Layer& layer, const Vector& input) const {
  const ConstMatrix matrix(parameters_.data() + layer.matrix, layer.outputs, layer.inputs);
  Vector output = parameters_.segment(layer.bias, layer.outputs);
  output.noalias() += matrix * input;
  return output;
}

std::vector<Vector> Network::activations(const Vector& input) const {
  std::vector<Vector> all{input};
  for (const Layer& layer : layers_) {
    Vector output = through(layer, all.back());
    if (&layer != &layers_.back()) output = output.cwiseMax(0);
    all.push_back(std::move(output));
  }
  return all;
}

Vector Network::outputs(const Vector& input) const { return activations(input).back(); }

void Network::add_gradient(const Vector& input, const Vector& weights, Vector& gradient) const {
  const std::vector<Vector> all = activations(input);
  Vector behind = weights;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    Matrix(gradient.data() + layer.matrix, layer.outputs, layer.inputs).noalias() += behind * all[i].transpose();
    gradient.segment(layer.bias, layer.outputs) += behind;
    if (i == 0) break;
    const ConstMatrix matrix(parameters_.data() + layer.matrix, layer.outputs, layer.inputs);
    behind = (matrix.transpose() * behind).cwiseProduct((all[i].array() > 0).cast<double>().matrix()).eval();
  }
}

void Ascent::climb(Vector& parameters, Vector gradient) {
  if (first_.size() == 0) first_ = second_ = Vector::Zero(parameters.size());
  const double norm = gradient.norm();
  if (norm > longest_) gradient *= longest_ / norm;
  first_share_ *= kFirstDecay;
  second_share_ *= kSecondDecay;
  first_ = kFirstDecay * first_ + (1 - kFirstDecay) * gradient;
  second_ = kSecondDecay * second_ + (1 - kSecondDecay) * gradient.cwiseAbs2();
  const auto mean = first_.array() / (1 - first_share_);
  const auto square = second_.array() / (1 - second_share_);
  parameters.array() += rate_ * mean / (square.sqrt() + kLeastDivisor);
}

}  // namespace dlrun::placement
