// SPDX-License-Identifier: Apache-2.0
// Values of a step, for the curves.
#pragma once
#include <cstdint>
#include <optional>

namespace dlrun::train {

/// Values of a step that was taken.
struct StepFacts {
  double loss = 0;
  double lr = 0;               ///< with the mean of its factors
  std::optional<double> gain;  ///< mean gain of the gradients, where it is measured
  double grad_norm = 0;        ///< norm over all that is trained, before clipping; if it was asked for
  std::int64_t examples = 0;
  double loss_scale = 0;    ///< scale that it was taken with; float16 only
  bool is_skipped = false;  ///< left out, because its gradients were not finite
};

}  // namespace dlrun::train
