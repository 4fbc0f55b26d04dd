// SPDX-License-Identifier: Apache-2.0
// The focal loss: (1 - p)^gamma * -log p, where p is the probability that the model gives to the right class.
#include <dlrun/plugin/loss.hpp>

namespace plugin = dlrun::plugin;

namespace {

class TemplateName : public plugin::Loss {
 public:
  explicit TemplateName(const plugin::Options& options) : gamma_(options.real("gamma")) {}

  /// @param outputs  [N, classes] float32, logits
  /// @param targets  [N] int64, labels
  /// @return [N] float32, the loss of each example; dlrun takes their mean
  at::Tensor each(const at::Tensor& outputs, const at::Tensor& targets) override {
    const at::Tensor all = at::log_softmax(outputs, 1);
    const at::Tensor log_p = all.gather(1, targets.unsqueeze(1)).squeeze(1);
    const at::Tensor rest = (-at::expm1(log_p)).clamp_min(kLeast);  // 1 - p
    return -at::pow(rest, gamma_) * log_p;
  }

 private:
  static constexpr double kLeast = 1e-12;  // at 0 a power below 1 has no slope, and a gradient would not be finite
  double gamma_;
};

}  // namespace

DLRUN_LOSS(TemplateName)
