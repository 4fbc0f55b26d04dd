// SPDX-License-Identifier: Apache-2.0
// The sampler a study gets that asks for none.
#pragma once
#include "samplers/random_sampler.hpp"

namespace dlrun::samplers {

/// Takes what suits the study and says so. There is only random search to take so far; its draws are those of
/// `sampler: random`.
class AutoSampler final : public Sampler {
 public:
  AutoSampler(const space::Space& space, std::uint64_t seed) : chosen_(space, seed) {}

  std::string_view name() const override { return "auto"; }
  void on_start(trial::TrialId trial, const space::Values& values) override { chosen_.on_start(trial, values); }
  void on_result(const Observation& observation) override { chosen_.on_result(observation); }
  std::optional<space::Values> propose(std::int64_t number) override { return chosen_.propose(number); }
  std::string reason() const override { return chosen_.reason().empty() ? "auto: random" : chosen_.reason(); }

 private:
  RandomSampler chosen_;
};

}  // namespace dlrun::samplers
