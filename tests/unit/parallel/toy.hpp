// SPDX-License-Identifier: Apache-2.0
// A small training of which everything is known: tanh regression on made-up rows, SGD with momentum, in any precision.
#pragma once
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "parallel/gang.hpp"
#include "parallel/virtual_cluster.hpp"

namespace parallel_test {

using namespace dlrun::parallel;

/// Rows in batches of `batch`; batch k of an epoch has rows k·batch and on.
template <class Real>
class Toy : public Learner<Real> {
 public:
  static constexpr std::size_t kFeatures = 7;

  explicit Toy(int batch, double lr = 0.05, double momentum = 0) : batch_(batch), lr_(lr), momentum_(momentum) {}

  Gradient<Real> gradient(int, std::int64_t batch, const std::vector<Real>& weights) override {
    Gradient<Real> out{std::vector<Real>(kFeatures), double(batch_)};
    for (std::int64_t row = batch * batch_; row < (batch + 1) * batch_; ++row) add_row(row, weights, out.numbers);
    for (Real& number : out.numbers) number /= Real(batch_);
    return out;
  }

  void step(int node, const Shard& shard, std::span<Real> weights, std::span<const Real> gradient,
            double factor) override {
    std::vector<Real>& velocity = velocities_[node];
    velocity.resize(kFeatures);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      Real& v = velocity[shard.begin + i];
      v = Real(momentum_) * v + gradient[i];
      weights[i] -= Real(lr_ * factor) * v;
    }
  }

 private:
  static double number(std::int64_t row, std::size_t column) {
    return std::sin(double(row) * 12.9898 + double(column) * 78.233);  // no pattern that matters, the same everywhere
  }
  static void add_row(std::int64_t row, const std::vector<Real>& weights, std::vector<Real>& into) {
    Real sum = 0;
    for (std::size_t i = 0; i < kFeatures; ++i) sum += weights[i] * Real(number(row, i));
    const Real out = std::tanh(sum), slope = (out - Real(number(row, 99))) * (1 - out * out);
    for (std::size_t i = 0; i < kFeatures; ++i) into[i] += slope * Real(number(row, i));
  }

  std::int64_t batch_;
  double lr_, momentum_;
  std::map<int, std::vector<Real>> velocities_;
};

template <class Real>
std::vector<Real> initial() {
  return {Real(0.3), Real(-0.2), Real(0.1), Real(0.5), Real(-0.4), Real(0.2), Real(-0.1)};
}

struct Setting {
  ParallelConfig parallel;
  ClusterConfig cluster;
  int batch = 4;
  double lr = 0.05, momentum = 0;
  double model_bytes = 28;
  std::vector<Layer> layers = {{Toy<float>::kFeatures, 28}};
};

/// A cluster with all that it stands on.
template <class Real>
struct Run {
  explicit Run(const Setting& setting)
      : algorithm(make_algorithm<Real>(setting.parallel.method)),
        gang(gang_of(setting.parallel, setting.layers)),
        members(members_of(gang, *algorithm, initial<Real>())),
        toy(setting.batch, setting.lr, setting.momentum),
        cluster(gang, *algorithm, members, &toy, {setting.cluster, setting.model_bytes, 7, {}}) {}

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// One epoch; `after` is called after every event.
  template <class After>
  void epoch(std::int64_t batches, After&& after) {
    cluster.begin(batches);
    while (cluster.advance()) after();
    cluster.end();
  }
  void epoch(std::int64_t batches) {
    epoch(batches, [] {});
  }

  std::unique_ptr<Algorithm<Real>> algorithm;
  Gang gang;
  Members<Real> members;
  Toy<Real> toy;
  VirtualCluster<Real> cluster;
};

/// The model after some epochs.
template <class Real>
std::vector<Real> trained(const Setting& setting, std::int64_t batches, int epochs = 1) {
  Run<Real> run(setting);
  for (int i = 0; i < epochs; ++i) run.epoch(batches);
  return run.cluster.model();
}

/// Plain SGD on one machine, without any of the code under test but the toy's own gradients.
template <class Real>
std::vector<Real> alone(int batch, std::int64_t batches, double lr, double momentum = 0) {
  Toy<Real> toy(batch, lr, momentum);
  std::vector<Real> weights = initial<Real>();
  for (std::int64_t k = 0; k < batches; ++k) {
    toy.step(0, {0, weights.size(), 1}, weights, toy.gradient(0, k, weights).numbers, 1);
  }
  return weights;
}

template <class Real>
double distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double(std::abs(a[i] - b[i])));
  return a.size() == b.size() ? most : 1e300;
}

/// No jitter, no time on the wire, no time at the server.
inline ClusterConfig lock_step() {
  ClusterConfig cluster;
  cluster.jitter = 0;
  cluster.latency_us = 0;
  cluster.bandwidth_gbit = std::numeric_limits<double>::infinity();
  cluster.bus_gbyte = std::numeric_limits<double>::infinity();
  cluster.apply_gbyte = std::numeric_limits<double>::infinity();
  return cluster;
}

}  // namespace parallel_test
