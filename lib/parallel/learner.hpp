// SPDX-License-Identifier: Apache-2.0
// The training below an algorithm: gradients, and the rule by which weights follow them. Given by the trainer, or by a
// test.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "parallel/shards.hpp"

namespace dlrun::parallel {

template <class Real>
struct Gradient {
  std::vector<Real> numbers;  ///< mean over the batch
  double samples = 0;         ///< weight of the batch, as a rule its examples; 0: no batch was left, and no numbers
  std::vector<Real> squares = {};  ///< squared norms of its tensors, Gang::squares of them
};

template <class Real>
class Learner {
 public:
  virtual ~Learner() = default;

  /// May throw; the gang is then at its end.
  /// @param batch    number of the batch in the epoch, over all ranks
  /// @param weights  of the whole model, [n]
  virtual Gradient<Real> gradient(int rank, std::int64_t batch, const std::vector<Real>& weights) = 0;

  /// A synchronous rank goes through a round without a batch, which would have had this number.
  virtual void skip(int /*rank*/, std::int64_t /*batch*/) {}

  /// Told before a step by the mean gradient: the mean of the squared norms of all ranks' gradients.
  virtual void note_squares(std::span<const Real> /*squares*/) {}

  /// Moves weights by the study's optimiser, whose state (momentum and so on) belongs to `node`.
  /// @param weights, gradient  of `shard` only
  /// @param factor  of the learning rate
  virtual void step(int node, const Shard& shard, std::span<Real> weights, std::span<const Real> gradient,
                    double factor) = 0;
};

}  // namespace dlrun::parallel
