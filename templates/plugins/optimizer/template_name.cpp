// SPDX-License-Identifier: Apache-2.0
// An optimiser: mean = momentum * mean + (1 - momentum) * gradient; weight -= lr * sign(mean).
#include <dlrun/plugin/optimizer.hpp>

namespace plugin = dlrun::plugin;

namespace {

class TemplateName : public plugin::Optimizer {
 public:
  explicit TemplateName(const plugin::Options& options) : momentum_(static_cast<float>(options.real("momentum"))) {}

  /// The object remembers nothing: everything is in the stretch, so training may stop and resume after any step.
  void step(const plugin::Stretch& stretch) override {
    const auto lr = static_cast<float>(stretch.lr), decay = static_cast<float>(stretch.weight_decay);
    float* mean = stretch.state[0];
    for (std::size_t i = 0; i < stretch.size; ++i) {
      mean[i] = momentum_ * mean[i] + (1 - momentum_) * stretch.grads[i];
      const float sign = static_cast<float>(mean[i] > 0) - static_cast<float>(mean[i] < 0);
      stretch.values[i] -= lr * (sign + decay * stretch.values[i]);
    }
  }

 private:
  float momentum_;
};

}  // namespace

DLRUN_OPTIMIZER(TemplateName)
