// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of logits. Of a row with label t, weights w and smoothing e: -(1 - e) w_t log p_t - e / C sum_c w_c
// log p_c; the sum over rows is divided by the sum of w_t (torch.nn.CrossEntropyLoss). A mixed row is the mixture of
// its two labels' losses, and counts with the mixture of their weights.
#include <numeric>

#include <ATen/ops/_log_softmax.h>

#include "train/losses/rows.hpp"

namespace dlrun::train {

namespace {

class CrossEntropy final : public Loss {
 public:
  CrossEntropy(double smoothing, std::vector<double> weights) : smoothing_(smoothing), weights_(std::move(weights)) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    at::Tensor log_p = at::_log_softmax(output, -1, false);
    const Rows rows(log_p, wanted, weights_);
    const double total = rows.total();
    const double mean = over(sum_of(rows, 0, rows.count()), total);
    if (grad) {
      log_p.exp_();
      subtract_wanted(rows, log_p.mutable_data_ptr<float>(), total > 0 ? 1 / total : 0);
      *grad = std::move(log_p);
    }
    return {mean, total};
  }

  std::vector<float> each(const at::Tensor& output, const Wanted& wanted) override {
    const at::Tensor log_p = at::_log_softmax(output, -1, false);
    const Rows rows(log_p, wanted, weights_);
    const std::int64_t positions = rows.count() / output.size(0);
    std::vector<float> losses;
    for (std::int64_t row = 0; row < rows.count(); row += positions)
      losses.push_back(float(over(sum_of(rows, row, row + positions), rows.total(row, row + positions))));
    return losses;
  }

 private:
  double sum_of(const Rows& rows, std::int64_t begin, std::int64_t end) const {
    double hit = 0, all = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      if (rows.is_ignored(row)) continue;
      const float* log_p = rows.values(row);
      const Labels both = rows.labels(row);
      hit += rows.first_weight(both) * double(log_p[both.first]);
      if (both.share != 1) hit += rows.second_weight(both) * double(log_p[both.second]);
      if (smoothing_ > 0) all += sum_over_classes(rows, log_p);
    }
    return -((1 - smoothing_) * hit + smoothing_ / double(rows.classes()) * all);
  }

  static double sum_over_classes(const Rows& rows, const float* log_p) {
    double sum = 0;
    for (std::int64_t c = 0; c < rows.classes(); ++c) sum += rows.weight(c) * double(log_p[c]);
    return sum;
  }

  /// p becomes (p sum_c q_c - q) * scale, where q_c is the weight of log p_c.
  void subtract_wanted(const Rows& rows, float* p, double scale) const {
    const std::int64_t classes = rows.classes();
    const double each = smoothing_ / double(classes);
    double every = 0;  // weight of the smoothing, over all classes
    for (std::int64_t c = 0; each > 0 && c < classes; ++c) every += each * rows.weight(c);
    for (std::int64_t row = 0; row < rows.count(); ++row, p += classes) {
      if (rows.is_ignored(row)) {
        std::fill_n(p, classes, 0.0f);
        continue;
      }
      const Labels both = rows.labels(row);
      const double first = (1 - smoothing_) * rows.first_weight(both);
      const double second = (1 - smoothing_) * rows.second_weight(both);
      spread(rows, p, float((first + second + every) * scale), each * scale);
      p[both.first] -= float(first * scale);
      if (both.share != 1) p[both.second] -= float(second * scale);
    }
  }

  static void spread(const Rows& rows, float* p, float factor, double each) {
    for (std::int64_t c = 0; c < rows.classes(); ++c) p[c] *= factor;
    for (std::int64_t c = 0; each > 0 && c < rows.classes(); ++c) p[c] -= float(each * rows.weight(c));
  }

  double smoothing_;
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Loss> make_cross_entropy(const LossConfig& config, std::vector<double> weights) {
  return std::make_unique<CrossEntropy>(config.label_smoothing, std::move(weights));
}

}  // namespace dlrun::train
