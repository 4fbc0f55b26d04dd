// SPDX-License-Identifier: Apache-2.0
// Optimisers over one flat buffer: a step is one loop over all parameters, whatever their number and shapes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/config.hpp"

namespace dlrun::train {

/// State of an optimiser beside the parameters, laid out like them: "momentum", or "exp_avg" and "exp_avg_sq".
struct Slot {
  std::string name;
  std::vector<float> values;
};

/// Formulas and rounding follow torch.optim's single-tensor form, in float32. No operation is contracted or reordered,
/// so the result does not depend on the instruction set.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// @param values  parameters, changed in place    @param grads  their gradients, same length
  /// @param step    number of this step, from 1      @param lr     this step's rate
  virtual void step(float* values, const float* grads, std::int64_t step, double lr) = 0;

  std::vector<Slot>& slots() { return slots_; }
  const std::vector<Slot>& slots() const { return slots_; }

 protected:
  std::vector<Slot> slots_;
};

std::unique_ptr<Optimizer> make_sgd(const OptimizerConfig& config, std::size_t size);
std::unique_ptr<Optimizer> make_adam(const OptimizerConfig& config, std::size_t size);
std::unique_ptr<Optimizer> make_adamw(const OptimizerConfig& config, std::size_t size);

/// By config.op. @throws Error(usage) for one that is not known.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, std::size_t size);

/// Scales `grads` so that their Euclidean norm is at most `limit`; returns the norm before. As
/// torch.nn.utils.clip_grad_norm_. The sum is taken in double, in an order of its own, equal on every machine.
double clip_norm(float* grads, std::size_t size, double limit);

}  // namespace dlrun::train
