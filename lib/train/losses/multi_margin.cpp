// SPDX-License-Identifier: Apache-2.0
// Multi-class margin (torch.nn.MultiMarginLoss): sum over c != t of max(0, margin - y_t + y_c)^p / C, the mean over
// rows.
#include <cmath>

#include <ATen/ops/zeros_like.h>

#include "train/losses/rows.hpp"

namespace dlrun::train {

namespace {

class MultiMargin final : public Loss {
 public:
  MultiMargin(double margin, int p) : margin_(margin), p_(p) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const std::vector<double> unweighted;
    const Rows rows(output, wanted, unweighted);
    const double count = rows.total();
    if (grad) *grad = at::zeros_like(output);
    double sum = 0;
    for (std::int64_t row = 0; row < rows.count(); ++row) {
      if (rows.is_ignored(row)) continue;
      float* slopes = grad ? grad->mutable_data_ptr<float>() + row * rows.classes() : nullptr;
      const Labels both = rows.labels(row);
      sum += both.share * violation(rows, row, both.first, both.share / count, slopes);
      if (both.share != 1) {
        sum += (1 - both.share) * violation(rows, row, both.second, (1 - both.share) / count, slopes);
      }
    }
    return {over(sum, count), count};
  }

 private:
  /// Loss of one label; adds `scale` times its gradient to `slopes`, if given. A NaN is kept.
  double violation(const Rows& rows, std::int64_t row, std::int64_t label, double scale, float* slopes) const {
    const float* y = rows.values(row);
    const auto classes = double(rows.classes());
    double sum = 0;
    for (std::int64_t c = 0; c < rows.classes(); ++c) {
      const double over = margin_ - double(y[label]) + double(y[c]);
      if (c == label || over <= 0) continue;
      sum += p_ == 1 ? over : over * over;
      if (!slopes) continue;
      const double slope = scale / classes * (p_ == 1 ? 1 : 2 * over);
      slopes[c] += float(slope);
      slopes[label] -= float(slope);
    }
    return sum / classes;
  }

  double margin_;
  int p_;
};

}  // namespace

std::unique_ptr<Loss> make_multi_margin(const LossConfig& config) {
  return std::make_unique<MultiMargin>(config.margin, config.p);
}

}  // namespace dlrun::train
