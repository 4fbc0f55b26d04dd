// SPDX-License-Identifier: Apache-2.0
// A layer whose output has other sizes than plugin.yaml promises.
#include <dlrun/plugin/layer.hpp>

namespace {

class Bad final : public dlrun::plugin::Layer {
 public:
  explicit Bad(const dlrun::plugin::LayerFacts& facts) : after_(facts.options.integer("after")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const dlrun::plugin::Tensors&,
                 const dlrun::plugin::Pass& pass) override {
    if (pass.training && pass.step >= after_) return inputs[0].narrow(-1, 0, 1);
    return inputs[0] * 1.0;
  }

 private:
  std::int64_t after_;
};

}  // namespace

DLRUN_LAYER(Bad)
