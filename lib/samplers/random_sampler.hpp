// SPDX-License-Identifier: Apache-2.0
// Random search (Bergstra and Bengio, JMLR 2012), without repetition.
#pragma once
#include "samplers/sampler.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

/// Draws each parameter from its domain's measure: uniform, or uniform in the logarithm; what was tried is drawn anew
/// (Untried).
class RandomSampler final : public Sampler {
 public:
  RandomSampler(const space::Space& space, std::uint64_t seed);

  std::string_view name() const override { return "random"; }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  Untried untried_;
  std::uint64_t seed_;
  std::string reason_;
};

}  // namespace dlrun::samplers
