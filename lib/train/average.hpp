// SPDX-License-Identifier: Apache-2.0
// An average of the weights, measured in place of the last ones (torch.optim.swa_utils.AveragedModel).
#pragma once
#include <vector>

#include "nn/parameters.hpp"

namespace dlrun::train {

class Average {
 public:
  /// None.
  Average() = default;
  /// Begins as a copy of the weights. @param with_buffers  running statistics are the average's own, too
  Average(const nn::Parameters& parameters, bool with_buffers);
  /// Numbers of its own.
  Average clone() const;
  /// The same numbers on that device; where they lie there already, these very ones.
  Average on(at::Device device) const;

  bool is_defined() const { return values_.defined(); }
  /// a + rest (p - a) for each trainable number.
  void approach(const nn::Parameters& parameters, double rest);
  /// The equal mean of `count` weights, which this is, and one more. Buffers are no part of a mean: copied.
  void add(const nn::Parameters& parameters, std::int64_t count);
  /// Exchanges content with the model.
  void swap(const nn::Parameters& parameters);

  /// The tensor that stands for one of the model's; undefined if the model's own is measured.
  at::Tensor of(const nn::Parameters& parameters, std::size_t number) const;

 private:
  at::Tensor values_;                ///< [n] float32, as Parameters::values()
  std::vector<at::Tensor> buffers_;  ///< by number in Parameters::all(), undefined for what is trainable; or empty
};

}  // namespace dlrun::train
