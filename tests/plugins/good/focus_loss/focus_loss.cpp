// SPDX-License-Identifier: Apache-2.0
// Focal loss (Lin et al., ICCV 2017) by autograd.
#include <dlrun/plugin/loss.hpp>

namespace {

class Focus final : public dlrun::plugin::Loss {
 public:
  explicit Focus(const dlrun::plugin::Options& options) : gamma_(options.real("gamma")) {}

  at::Tensor each(const at::Tensor& outputs, const at::Tensor& targets) override {
    const at::Tensor log_p = at::log_softmax(outputs, 1).gather(1, targets.unsqueeze(1)).squeeze(1);
    return -at::pow((-at::expm1(log_p)).clamp_min(kLeast), gamma_) * log_p;
  }

 private:
  static constexpr double kLeast = 1e-12;  ///< least 1 - p: at 0 a power below 1 has no slope
  double gamma_;
};

}  // namespace

DLRUN_LOSS(Focus)
