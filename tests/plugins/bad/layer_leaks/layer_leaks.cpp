// SPDX-License-Identifier: Apache-2.0
// A layer that keeps 64 MB of every step.
#include <dlrun/plugin/layer.hpp>

namespace {

class Bad final : public dlrun::plugin::Layer {
 public:
  explicit Bad(const dlrun::plugin::LayerFacts& facts) : after_(facts.options.integer("after")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const dlrun::plugin::Tensors&,
                 const dlrun::plugin::Pass& pass) override {
    if (pass.training && pass.step >= after_) kept_.push_back(at::ones({16, 1024, 1024}));
    return inputs[0] * 1.0;
  }

 private:
  std::int64_t after_;
  std::vector<at::Tensor> kept_;
};

}  // namespace

DLRUN_LAYER(Bad)
