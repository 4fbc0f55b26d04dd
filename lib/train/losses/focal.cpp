// SPDX-License-Identifier: Apache-2.0
// Focal loss (Lin et al., ICCV 2017, over all classes by softmax): -w_t (1 - p_t)^gamma log p_t, the mean over the
// rows.
#include <algorithm>
#include <cmath>

#include <ATen/ops/_log_softmax.h>

#include "train/losses/rows.hpp"

namespace dlrun::train {

namespace {

class Focal final : public Loss {
 public:
  Focal(double gamma, std::vector<double> weights) : gamma_(gamma), weights_(std::move(weights)) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    at::Tensor log_p = at::_log_softmax(output, -1, false);
    const Rows rows(log_p, wanted, weights_);
    double sum = 0, count = 0;
    for (std::int64_t row = 0; row < rows.count(); ++row) {
      if (rows.is_ignored(row)) continue;
      const Labels both = rows.labels(row);
      sum += rows.first_weight(both) * value(rows.values(row)[both.first]);
      if (both.share != 1) sum += rows.second_weight(both) * value(rows.values(row)[both.second]);
      ++count;
    }
    if (grad) {
      differentiate(rows, log_p.mutable_data_ptr<float>(), count > 0 ? 1 / count : 0);
      *grad = std::move(log_p);
    }
    return {over(sum, count), count};
  }

 private:
  static constexpr double kLeast = 1e-12;  ///< least 1 - p: at 0 a power below 1 has no slope

  double value(double log_p) const { return -std::pow(std::max(0.0, -std::expm1(log_p)), gamma_) * log_p; }

  /// p_t times the derivative by p_t: gamma p (1 - p)^(gamma - 1) log p - (1 - p)^gamma.
  double slope(double log_p) const {
    const double rest = std::max(kLeast, -std::expm1(log_p));
    return gamma_ * std::exp(log_p) * std::pow(rest, gamma_ - 1) * log_p - std::pow(rest, gamma_);
  }

  /// log p becomes the gradient: s_t (delta - p), summed over the row's labels.
  void differentiate(const Rows& rows, float* values, double scale) const {
    for (std::int64_t row = 0; row < rows.count(); ++row, values += rows.classes()) {
      if (rows.is_ignored(row)) {
        std::fill_n(values, rows.classes(), 0.0f);
        continue;
      }
      const Labels both = rows.labels(row);
      const double first = scale * rows.first_weight(both) * slope(values[both.first]);
      const double second = both.share == 1 ? 0 : scale * rows.second_weight(both) * slope(values[both.second]);
      for (std::int64_t c = 0; c < rows.classes(); ++c) {
        const double p = std::exp(double(values[c]));
        values[c] = float(first * ((c == both.first) - p) + second * ((c == both.second) - p));
      }
    }
  }

  double gamma_;
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Loss> make_focal(const LossConfig& config, std::vector<double> weights) {
  return std::make_unique<Focal>(config.gamma, std::move(weights));
}

}  // namespace dlrun::train
