// SPDX-License-Identifier: Apache-2.0
// Keeps the gradients of float16 from vanishing (Micikevicius et al., ICLR 2018, arXiv:1710.03740, section 3.2).
#pragma once
#include <cstddef>
#include <cstdint>

namespace dlrun::train {

/// How far a scaler is; kept in checkpoints.
struct LossScale {
  double scale = 65536;   ///< a power of two
  std::int64_t good = 0;  ///< steps in a row whose gradients were finite
};

/// The dynamic loss scale of torch.amp.GradScaler, with its defaults: the gradient of the loss is multiplied by the
/// scale before backward; a step whose gradients are not all finite is left out and halves the scale; 2000 good steps
/// in a row double it.
class GradScaler {
 public:
  static constexpr double kGrowth = 2, kBackoff = 0.5;
  static constexpr std::int64_t kInterval = 2000;
  /// Below this no loss scale helps: the gradients themselves are not finite. torch.amp would go on for ever.
  static constexpr double kLeast = 1.0 / 65536;

  explicit GradScaler(LossScale& state) : state_(state) {}

  /// Divides the gradients by the scale, in place. @return whether all of them are finite; else the step is to be left
  /// out.
  bool unscale(float* grads, std::size_t size) const;
  /// After each step, taken or left out. @return false: the scale fell below kLeast.
  bool update(bool is_finite);

 private:
  LossScale& state_;
};

}  // namespace dlrun::train
