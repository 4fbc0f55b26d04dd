// SPDX-License-Identifier: Apache-2.0
// An output of the model as columns of numbers with names: what every form of predictions has alike.
#pragma once
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dataset/fresh.hpp"
#include "train/config.hpp"

namespace dlrun::train {

struct PredictionColumns {
  std::size_t output = 0;            ///< number of the model's output
  std::string prefix;                ///< "OUTPUT." of several outputs
  std::string kind;                  ///< "probabilities", "logits", "values"
  std::vector<std::string> classes;  ///< none: values
  std::vector<std::string> names;    ///< one for each number: p_NAME, logit_NAME, value, value_NAME
  std::vector<double> scale, shift;  ///< values: from the target's standardised unit to its own; none: as they are

  /// Probabilities are float64, all else is float32.
  bool is_double() const { return kind == "probabilities"; }
  /// The numbers of an example, [names]. Probabilities: softmax, or the sigmoid of a single output, in double.
  void read(const at::Tensor& outputs, std::int64_t row, std::vector<double>& into) const;
  /// Predicted class; nullptr: an output is NaN, so none is predicted. REQUIRES: classes.
  const std::string* class_of(const at::Tensor& outputs, std::int64_t row) const;
};

/// One for each output that is no auxiliary one.
/// @param trained      the data the model was trained on
/// @param facts        of the examples: names of their values
/// @param predictions  Heads::predictions of some examples
/// @throws Error(usage) for an output with a label at each position; logits where no output has classes.
std::vector<PredictionColumns> prediction_columns(const std::vector<OutputConfig>& outputs,
                                                  const dataset::Schema& trained, const dataset::Fresh& facts,
                                                  const std::vector<at::Tensor>& predictions, bool wants_logits);

}  // namespace dlrun::train
