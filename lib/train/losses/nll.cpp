// SPDX-License-Identifier: Apache-2.0
// Negative log-likelihood of outputs that are log-probabilities already (torch.nn.NLLLoss): -w_t y_t, divided by the
// sum of w_t.
#include <ATen/ops/zeros_like.h>

#include "train/losses/rows.hpp"

namespace dlrun::train {

namespace {

class Nll final : public Loss {
 public:
  explicit Nll(std::vector<double> weights) : weights_(std::move(weights)) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const Rows rows(output, wanted, weights_);
    const double total = rows.total();
    if (grad) *grad = at::zeros_like(output);
    double sum = 0;
    for (std::int64_t row = 0; row < rows.count(); ++row) {
      if (rows.is_ignored(row)) continue;
      const Labels both = rows.labels(row);
      sum -= rows.first_weight(both) * double(rows.values(row)[both.first]);
      if (both.share != 1) sum -= rows.second_weight(both) * double(rows.values(row)[both.second]);
      if (!grad || total == 0) continue;
      float* slopes = grad->mutable_data_ptr<float>() + row * rows.classes();
      slopes[both.first] -= float(rows.first_weight(both) / total);
      slopes[both.second] -= float(rows.second_weight(both) / total);
    }
    return {over(sum, total), total};
  }

 private:
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Loss> make_nll(const LossConfig&, std::vector<double> weights) {
  return std::make_unique<Nll>(std::move(weights));
}

}  // namespace dlrun::train
