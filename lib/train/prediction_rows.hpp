// SPDX-License-Identifier: Apache-2.0
// Predictions as CSV: a row for each example, in their order.
#pragma once
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dataset/fresh.hpp"
#include "train/config.hpp"

namespace dlrun::train {

/// Columns: the number or name of the example; of classes `class` and `p_NAME` for each (of the softmax, or the sigmoid
/// of a single output, in double); of numbers `value`, or one by name or number where there are several. Of several
/// outputs each has its own, OUTPUT.class, …. Numbers have as many digits as give the same number back.
class PredictionRows {
 public:
  /// @param trained  the data the model was trained on
  /// @param facts    of the examples: which rows they are, their names; its data set need not have any but `test`
  /// @throws Error(usage) for an output with a label at each position.
  PredictionRows(const std::vector<OutputConfig>& outputs, const dataset::Schema& trained, const dataset::Fresh& facts);

  std::string header() const;
  /// The next rows. @param outputs  Heads::predictions
  std::string lines(const std::vector<at::Tensor>& outputs);

 private:
  struct Part {
    std::size_t output = 0;  ///< of the model
    std::string prefix;
    std::vector<std::string> classes;  ///< none: numbers
    std::vector<std::string> values;
    std::vector<double> scale, shift;  ///< of each value: from the target's standardised unit to its own
  };
  void add_row(const std::vector<at::Tensor>& outputs, std::int64_t row, std::string& text) const;

  std::string id_name_;
  const std::vector<std::string>& ids_;
  const std::vector<std::int64_t>& numbers_;
  std::vector<Part> parts_;
  std::size_t next_ = 0;  ///< of the examples
};

}  // namespace dlrun::train
