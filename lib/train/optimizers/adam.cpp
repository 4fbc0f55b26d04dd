// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma, Ba, ICLR 2015; decay added to the gradient) and AdamW (Loshchilov, Hutter, ICLR 2019; decay of the
// weights themselves, scaled by the rate), with PyTorch's order of operations.
#include <cmath>

#include "train/optimizer.hpp"

namespace dlrun::train {

namespace {

struct Settings {
  float beta2, rest1, rest2;  ///< rest = 1 - beta
  float step_size;            ///< lr / (1 - beta1^t)
  float root;                 ///< sqrt(1 - beta2^t)
  float eps;
  float l2;      ///< Adam: weight_decay; AdamW: 0
  float shrink;  ///< AdamW: 1 - lr * weight_decay; Adam: 1
};

__attribute__((target_clones("avx512f", "avx2", "default"))) void update(float* __restrict p,
                                                                         const float* __restrict grads,
                                                                         float* __restrict m, float* __restrict v,
                                                                         std::size_t n, Settings s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrunk = p[i] * s.shrink;
    const float g = grads[i] + s.l2 * shrunk;
    m[i] = m[i] + s.rest1 * (g - m[i]);
    v[i] = s.beta2 * v[i] + s.rest2 * g * g;
    p[i] = shrunk - s.step_size * m[i] / (std::sqrt(v[i]) / s.root + s.eps);
  }
}

class Adam final : public Optimizer {
 public:
  Adam(const OptimizerConfig& config, std::size_t size, bool decoupled)
      : config_(config), size_(size), decoupled_(decoupled) {
    slots_.push_back({"exp_avg", std::vector<float>(size)});
    slots_.push_back({"exp_avg_sq", std::vector<float>(size)});
  }

  void step(float* values, const float* grads, std::int64_t step, double lr) override {
    const double rest = 1.0 - std::pow(config_.beta1, double(step));
    const double rest_sq = 1.0 - std::pow(config_.beta2, double(step));
    const Settings settings{float(config_.beta2),
                            float(1.0 - config_.beta1),
                            float(1.0 - config_.beta2),
                            float(lr / rest),
                            float(std::sqrt(rest_sq)),
                            float(config_.eps),
                            decoupled_ ? 0.0f : float(config_.weight_decay),
                            decoupled_ ? float(1.0 - lr * config_.weight_decay) : 1.0f};
    update(values, grads, slots_[0].values.data(), slots_[1].values.data(), size_, settings);
  }

 private:
  OptimizerConfig config_;
  std::size_t size_;
  bool decoupled_;
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerConfig& config, std::size_t size) {
  return std::make_unique<Adam>(config, size, false);
}

std::unique_ptr<Optimizer> make_adamw(const OptimizerConfig& config, std::size_t size) {
  return std::make_unique<Adam>(config, size, true);
}

}  // namespace dlrun::train
