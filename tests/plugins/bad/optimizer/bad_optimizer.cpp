// SPDX-License-Identifier: Apache-2.0
// An optimiser that breaks its contract as it is told to. Sound, it is descent with momentum 0.9.
#include <dlrun/plugin/optimizer.hpp>

namespace {

using namespace dlrun::plugin;

float made = 0;

class Bad final : public Optimizer {
 public:
  explicit Bad(const Options& options) : does_(options.text("does")), number_(++made) {}

  void step(const Stretch& stretch) override {
    const float lr = static_cast<float>(stretch.lr) * factor();
    for (std::size_t i = 0; i < stretch.size; ++i) {
      float& momentum = stretch.state[0][i];
      momentum = 0.9F * momentum + stretch.grads[i];
      stretch.values[i] -= lr * momentum * (does_ == "place" && i == 0 ? 0.5F : 1);
      if (does_ == "always") stretch.values[i] *= 0.999F;
      if (does_ == "zeros") stretch.values[i] -= lr;
    }
    if (does_ == "behind") stretch.state[0][stretch.size] = 1;
    if (does_ == "gradients") const_cast<float*>(stretch.grads)[0] = 0;
    ++steps_;
  }

 private:
  float factor() const {
    if (does_ == "ascends") return -1;
    if (does_ == "chance") return 1 / number_;
    return does_ == "remembers" ? 1 / (1 + steps_) : 1;
  }

  std::string does_;
  float number_, steps_ = 0;
};

}  // namespace

DLRUN_OPTIMIZER(Bad)
