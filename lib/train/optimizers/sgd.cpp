// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum (Sutskever et al., ICML 2013, in PyTorch's form: the rate is outside of the
// velocity), Nesterov's variant and L2 weight decay.
#include "train/optimizer.hpp"

namespace dlrun::train {

namespace {

struct Settings {
  float lr, momentum, weight_decay;
};

#define DLRUN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))

DLRUN_CLONES void plain(float* __restrict p, const float* __restrict g, std::size_t n, Settings s) {
  for (std::size_t i = 0; i < n; ++i) p[i] -= s.lr * (g[i] + s.weight_decay * p[i]);
}

DLRUN_CLONES void heavy_ball(float* __restrict p, const float* __restrict g, float* __restrict v, std::size_t n,
                             Settings s) {
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = s.momentum * v[i] + (g[i] + s.weight_decay * p[i]);
    p[i] -= s.lr * v[i];
  }
}

DLRUN_CLONES void nesterov(float* __restrict p, const float* __restrict g, float* __restrict v, std::size_t n,
                           Settings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float d = g[i] + s.weight_decay * p[i];
    v[i] = s.momentum * v[i] + d;
    p[i] -= s.lr * (d + s.momentum * v[i]);
  }
}

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerConfig& config, std::size_t size) : config_(config), size_(size) {
    if (config.momentum != 0) slots_.push_back({"momentum", std::vector<float>(size)});
  }

  void step(float* values, const float* grads, std::int64_t, double lr) override {
    const Settings settings{float(lr), float(config_.momentum), float(config_.weight_decay)};
    if (slots_.empty()) return plain(values, grads, size_, settings);
    float* velocity = slots_[0].values.data();
    if (config_.nesterov) return nesterov(values, grads, velocity, size_, settings);
    heavy_ball(values, grads, velocity, size_, settings);
  }

 private:
  OptimizerConfig config_;
  std::size_t size_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const OptimizerConfig& config, std::size_t size) {
  return std::make_unique<Sgd>(config, size);
}

}  // namespace dlrun::train
