// SPDX-License-Identifier: Apache-2.0
// A layer: x * sigmoid(gate * weight * x).
#include <dlrun/plugin/layer.hpp>

namespace plugin = dlrun::plugin;

namespace {

class TemplateName : public plugin::Layer {
 public:
  /// One object for each such layer of a network. An exception here fails the trial's attempt with its text.
  explicit TemplateName(const plugin::LayerFacts& facts) : gate_(facts.options.real("gate")) {}

  /// inputs[0] is [B, D], and so is the result. Autograd finds the gradient.
  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors,
                 const plugin::Pass& /*pass*/) override {
    const at::Tensor& x = inputs[0];
    return x * at::sigmoid(gate_ * (tensors["weight"] * x));
  }

 private:
  double gate_;
};

}  // namespace

DLRUN_LAYER(TemplateName)
