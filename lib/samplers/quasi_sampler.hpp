// SPDX-License-Identifier: Apache-2.0
// Quasi-random search: the points of a low-discrepancy sequence, without repetition.
#pragma once
#include <memory>

#include "samplers/sampler.hpp"
#include "samplers/sequence.hpp"
#include "samplers/untried.hpp"

namespace dlrun::samplers {

/// The trials take the sequence's points one after another, each parameter a dimension of its own, also where it is not
/// active. A point whose values were tried or that a constraint excludes is left out, up to kSkipped in a row; then the
/// search takes random untried points. Trials of other origin (a person's) use up no point. The place in the sequence
/// follows from the trials that were started, so a replay agrees, and no two workers get one point.
class QuasiSampler final : public Sampler {
 public:
  QuasiSampler(const space::Space& space, std::uint64_t seed, std::unique_ptr<Sequence> sequence);

  std::string_view name() const override { return sequence_->name(); }
  void on_start(trial::TrialId trial, const space::Values& values) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

 private:
  struct Upcoming {
    std::uint64_t index;
    std::optional<space::Values> values;  ///< nullopt: a whole row of points was tried
  };
  const Upcoming& upcoming();

  Untried untried_;
  std::uint64_t seed_;
  std::unique_ptr<Sequence> sequence_;
  std::uint64_t next_ = 0;
  std::optional<Upcoming> upcoming_;  ///< the next point, once it was asked for
  std::string reason_;
};

}  // namespace dlrun::samplers
