// SPDX-License-Identifier: Apache-2.0
// Predictions as a file, written as they come: rows of text (CSV, JSON lines) or arrays (npy, safetensors).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "train/prediction_columns.hpp"
#include "trial/use.hpp"

namespace dlrun::train {

using AllColumns = std::vector<PredictionColumns>;

class PredictionWriter {
 public:
  virtual ~PredictionWriter() = default;
  /// The next examples.
  /// @param facts  of the part that they are in, what they are known by.  @param first  the first one's place in it
  /// @param outputs  Heads::predictions
  virtual void add_examples(const dataset::Fresh& facts, std::size_t first, const std::vector<at::Tensor>& outputs) = 0;
  /// After the last one.
  virtual void finish() = 0;
};

/// A row for each example: the number or name of the example; of classes `class` and a number for each; of numbers
/// `value`, or one by name or number where there are several. Of several outputs each has its own, OUTPUT.class, ….
/// Numbers have as many digits as give the same number back. Where an output is NaN the class is empty.
std::unique_ptr<PredictionWriter> csv_writer(AllColumns columns, const trial::PredictionFile& file);
/// The same, each row a JSON object; what is not known or not finite is null.
std::unique_ptr<PredictionWriter> jsonl_writer(AllColumns columns, const trial::PredictionFile& file);
/// [examples, columns]: the numbers alone, <f8 of probabilities, else <f4. numpy.lib.format, version 1.
/// @throws Error(usage) where the model has several outputs.
std::unique_ptr<PredictionWriter> npy_writer(AllColumns columns, const trial::PredictionFile& file);
/// The same of every output: "probabilities", "logits" or "values", of several outputs OUTPUT.values; its columns'
/// names in the metadata, a JSON list under "NAME.columns".
std::unique_ptr<PredictionWriter> safetensors_writer(AllColumns columns, const trial::PredictionFile& file);

}  // namespace dlrun::train
