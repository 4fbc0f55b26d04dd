// SPDX-License-Identifier: Apache-2.0
// How good probabilities are: those of the softmax of a row of outputs, or of the sigmoid of a single one.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::train {

/// Probabilities of a row by class, in double; of a single logit two.
/// @param into  resized
void probabilities(const float* row, std::int64_t width, std::vector<double>& into);

/// log_loss (without its cut at a probability of 2.2e-16) and brier as scikit-learn's; brier of two classes is (p_1 -
/// y)^2, of more the sum over the classes (Brier 1950). ece: Naeini et al., AAAI 2015, 15 bins (b / 15, (b + 1) / 15]
/// of the greatest probability.
class Calibration {
 public:
  void add_example(const std::vector<double>& p, std::int64_t foretold, std::int64_t label);
  /// Takes in another's examples so many times; -1 takes them out again.
  void add(const Calibration& other, double times = 1);
  /// log_loss, perplexity, brier, ece; nothing for another name.
  std::optional<double> value(const std::string& name) const;

  Json to_json() const { return {count_, log_loss_, brier_, confidence_, right_}; }
  void restore(const Json& json);

 private:
  static constexpr std::size_t kBins = 15;

  double count_ = 0, log_loss_ = 0, brier_ = 0;
  std::array<double, kBins> confidence_{}, right_{};  ///< sums by bin
};

}  // namespace dlrun::train
