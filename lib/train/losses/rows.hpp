// SPDX-License-Identifier: Apache-2.0
// A batch of labels as rows: the examples of [B, C], or the positions of [B, L, C].
#pragma once
#include "train/loss.hpp"

namespace dlrun::train {

/// Up to two labels of a row, with their shares.
struct Labels {
  std::int64_t first = 0, second = 0;
  double share = 1;  ///< the first one's
};

class Rows {
 public:
  Rows(const at::Tensor& output, const Wanted& wanted, const std::vector<double>& weights)
      : classes_(output.size(-1)),
        count_(output.numel() / output.size(-1)),
        values_(output.const_data_ptr<float>()),
        labels_(wanted.targets.const_data_ptr<std::int64_t>()),
        weights_(weights) {
    if (!wanted.other.defined()) return;
    others_ = wanted.other.const_data_ptr<std::int64_t>();
    shares_ = wanted.share.const_data_ptr<float>();
    per_example_ = count_ / wanted.other.numel();
  }

  std::int64_t count() const { return count_; }
  std::int64_t classes() const { return classes_; }
  const float* values(std::int64_t row) const { return values_ + row * classes_; }
  bool is_ignored(std::int64_t row) const { return labels_[row] == kIgnored; }
  double weight(std::int64_t label) const { return weights_.empty() ? 1 : weights_[std::size_t(label)]; }

  Labels labels(std::int64_t row) const {
    if (!others_) return {labels_[row], labels_[row], 1};
    return {labels_[row], others_[row / per_example_], double(shares_[row / per_example_])};
  }
  /// Share of the first label and of the second, each times its weight.
  double first_weight(const Labels& labels) const { return labels.share * weight(labels.first); }
  double second_weight(const Labels& labels) const { return (1 - labels.share) * weight(labels.second); }

  /// Sum of weights of the labels that count.
  double total() const { return total(0, count_); }
  double total(std::int64_t begin, std::int64_t end) const {
    double sum = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      if (is_ignored(row)) continue;
      const Labels both = labels(row);
      sum += first_weight(both) + second_weight(both);
    }
    return sum;
  }

 private:
  std::int64_t classes_, count_, per_example_ = 1;
  const float* values_;
  const std::int64_t* labels_;
  const std::int64_t* others_ = nullptr;
  const float* shares_ = nullptr;
  const std::vector<double>& weights_;
};

/// The mean over a total that may be 0.
inline double over(double sum, double total) { return total > 0 ? sum / total : sum; }

}  // namespace dlrun::train
