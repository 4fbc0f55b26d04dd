// SPDX-License-Identifier: Apache-2.0
// Negative log-likelihood of a normal distribution whose mean and log-variance are foretold: (s + (y - t)^2 exp(-s)) /
// 2 (torch.nn.GaussianNLLLoss with var = exp(s)). The output holds T means, then T logarithms of variances.
#include <cmath>

#include <ATen/ops/empty_like.h>

#include "train/loss.hpp"

namespace dlrun::train {

namespace {

class GaussianNll final : public Loss {
 public:
  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const std::int64_t batch = output.size(0), width = output.size(1) / 2;
    const float* t = wanted.targets.const_data_ptr<float>();
    const float* y = output.const_data_ptr<float>();
    if (grad) *grad = at::empty_like(output);
    float* slopes = grad ? grad->mutable_data_ptr<float>() : nullptr;
    const double scale = 1.0 / double(batch * width);
    double sum = 0;
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t k = 0; k < width; ++k) {
        const std::int64_t mean = b * 2 * width + k, spread = mean + width;
        const double d = double(y[mean]) - double(t[b * width + k]), s = y[spread], precision = std::exp(-s);
        sum += 0.5 * (s + d * d * precision);
        if (!slopes) continue;
        slopes[mean] = float(d * precision * scale);
        slopes[spread] = float(0.5 * (1 - d * d * precision) * scale);
      }
    }
    return {sum * scale, double(batch)};
  }

  at::Tensor prediction(const at::Tensor& output) const override {
    return output.narrow(1, 0, output.size(1) / 2).contiguous();
  }
};

}  // namespace

std::unique_ptr<Loss> make_gaussian_nll(const LossConfig&) { return std::make_unique<GaussianNll>(); }

}  // namespace dlrun::train
