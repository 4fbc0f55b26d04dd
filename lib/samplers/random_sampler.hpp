// SPDX-License-Identifier: Apache-2.0
// Random search (Bergstra and Bengio, JMLR 2012), without repetition.
#pragma once
#include "samplers/sampler.hpp"
#include "samplers/tried.hpp"
#include "space/points.hpp"

namespace dlrun::samplers {

/// Draws each parameter from its domain's measure: uniform, or uniform in the logarithm. A point without a continuous
/// value may be drawn again, which would only repeat a trial: such points are drawn anew, up to kDraws times. Then,
/// where the space is finite, the nearest untried point after a random one is taken (all that is left of a space is
/// found this way, in nearly constant time), and when none is left the search ends. Where only a part of the space is
/// discrete ("adam", beside "sgd" with a continuous momentum), the repetition is accepted.
class RandomSampler final : public Sampler {
 public:
  RandomSampler(const space::Space& space, std::uint64_t seed);

  std::string_view name() const override { return "random"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  space::Values draw(RandomStream& random) const;
  /// The number that stands for a point in tried_; nullopt: it holds a continuous value and never comes again.
  std::optional<std::int64_t> key(const space::Values& values) const;

  space::Space space_;
  space::Points points_;
  std::uint64_t seed_;
  Tried tried_;
  std::string reason_;
};

}  // namespace dlrun::samplers
