// SPDX-License-Identifier: Apache-2.0
// Signum (Bernstein et al., ICML 2018): m = beta m + (1 - beta) g, w -= lr (sign(m) + weight_decay w).
#include <dlrun/plugin/optimizer.hpp>

namespace {

class SignMomentum final : public dlrun::plugin::Optimizer {
 public:
  explicit SignMomentum(const dlrun::plugin::Options& options) : beta_(static_cast<float>(options.real("beta"))) {}

  void step(const dlrun::plugin::Stretch& stretch) override {
    float* mean = stretch.state[0];
    const auto lr = static_cast<float>(stretch.lr), decay = static_cast<float>(stretch.weight_decay);
    for (std::size_t i = 0; i < stretch.size; ++i) {
      mean[i] = beta_ * mean[i] + (1 - beta_) * stretch.grads[i];
      const auto sign = static_cast<float>((mean[i] > 0) - (mean[i] < 0));
      stretch.values[i] -= lr * (sign + decay * stretch.values[i]);
    }
  }

 private:
  float beta_;
};

}  // namespace

DLRUN_OPTIMIZER(SignMomentum)
