// SPDX-License-Identifier: Apache-2.0
// Kullback-Leibler divergence of the foretold distribution from the target's, from log-probabilities: the sum of
// t (log t - y) over the numbers of an example, where 0 log 0 is 0 (torch.nn.KLDivLoss, reduction "batchmean").
#include <cmath>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/exp.h>
#include <fmt/format.h>

#include "train/loss.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

class KlDivergence final : public Loss {
 public:
  explicit KlDivergence(bool log_target) : log_target_(log_target) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const float* t = wanted.targets.const_data_ptr<float>();
    const float* y = output.const_data_ptr<float>();
    if (grad) *grad = at::empty_like(output);
    float* slopes = grad ? grad->mutable_data_ptr<float>() : nullptr;
    const double scale = 1.0 / double(output.size(0));
    double sum = 0;
    for (std::int64_t i = 0; i < output.numel(); ++i) {
      const double p = log_target_ ? std::exp(double(t[i])) : probability(t[i]);
      const double log_p = log_target_ ? double(t[i]) : std::log(p);
      if (p > 0) sum += p * (log_p - double(y[i]));
      if (slopes) slopes[i] = float(-p * scale);
    }
    return {sum * scale, double(output.size(0))};
  }

  /// In the targets' own unit.
  at::Tensor prediction(const at::Tensor& output) const override { return log_target_ ? output : at::exp(output); }

 private:
  static double probability(float target) {
    if (target >= 0) return double(target);
    throw Error(ErrorKind::usage, fmt::format("loss kl_div: a target is {}, but a probability is at least 0", target),
                "targets that are logarithms need log_target: true");
  }

  bool log_target_;
};

}  // namespace

std::unique_ptr<Loss> make_kl_div(const LossConfig& config) {
  return std::make_unique<KlDivergence>(config.log_target);
}

}  // namespace dlrun::train
