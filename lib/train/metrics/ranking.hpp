// SPDX-License-Identifier: Apache-2.0
// Area under the ROC curve, exact: every score of the split is kept and sorted.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::train {

/// The share of pairs (one of the class, one not) in which the class's own scores higher; equal scores count half, as
/// scikit-learn's roc_auc_score. Scores are log-odds, since probabilities of confident outputs round to 1. Of more than
/// two classes: the mean over those that some examples have and others not.
class Ranking {
 public:
  /// @param row  outputs of the model: a logit of class 1, or one for each class
  void add_example(const float* row, std::int64_t width, std::int64_t label);
  /// Takes in another's examples, after its own.
  void add(const Ranking& other);
  /// auc; nothing for another name, NaN where no class has examples on both sides.
  std::optional<double> value(const std::string& name) const;

  /// Examples so far.
  std::size_t size() const { return labels_.size(); }
  /// Columns of scores: a class each, of two classes the second one's alone.
  std::size_t columns() const { return columns_; }
  std::int64_t label_of(std::size_t column) const { return columns_ == 1 ? 1 : std::int64_t(column); }
  std::int64_t label(std::size_t example) const { return labels_[example]; }
  double score(std::size_t example, std::size_t column) const { return scores_[example * columns_ + column]; }

  Json to_json() const { return {columns_, scores_, labels_}; }
  void restore(const Json& json);

 private:
  double area(std::size_t column, std::int64_t label) const;

  std::size_t columns_ = 0;
  std::vector<double> scores_;  ///< [N, columns] log-odds; of two classes the second one's alone
  std::vector<std::int32_t> labels_;
};

}  // namespace dlrun::train
