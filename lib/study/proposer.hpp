// SPDX-License-Identifier: Apache-2.0
// Proposer of new trials' values: a sampler, and the memory from which another one can take its place.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/told.hpp"
#include "study/trials.hpp"

namespace dlrun::study {

/// Values of a new trial, and the reason for `explain`.
struct Proposal {
  space::Values values;
  std::string reason;
};

/// Points of a study: their space, those that trials have, and the seed of random ones.
struct Points {
  const space::Space& space;
  const Trials& trials;
  std::uint64_t seed = 0;
};

class Proposer {
 public:
  explicit Proposer(std::unique_ptr<samplers::Sampler> sampler) : sampler_(std::move(sampler)) {}

  /// The sampler is told trials of an earlier study, before the first of this one.
  void learn(const std::vector<samplers::Observation>& trials);
  /// A proposal became a trial.
  void start(trial::TrialId id, const space::Values& values);
  /// A trial's result became visible.
  void hear(const samplers::Observation& seen);

  /// Proposal of the sampler; nullopt: the space holds nothing new, or too little is promised. Then reason() says why.
  /// @param least  the improvement of the objective that a proposal has to promise, if any
  std::optional<Proposal> propose(std::int64_t number, std::optional<double> least);
  /// A point with the values that a person asked for; unset ones are proposed by the sampler, or random if it has no
  /// proposal. The point is moved to keep the constraints.
  /// @throws Error(usage) if no point with these values keeps them
  Proposal complete(const space::Values& asked, std::int64_t number, const Points& points);
  /// Improvement that the last proposal promised, if that was too little.
  std::optional<double> too_little() const { return too_little_; }
  void forget_promise() { too_little_.reset(); }
  /// Reason of the sampler, for its last proposal or for having none.
  std::string reason() const { return sampler_->reason(); }
  /// samplers::Sampler::chosen_trials()
  std::vector<trial::TrialId> chosen_trials() const { return sampler_->chosen_trials(); }

  /// An amendment has added parameters: they are unset in what was learnt.
  void widen(std::size_t parameters) { told_.widen(parameters); }
  /// Another sampler takes over. It is told all that was told before, in the same order; points outside its space are
  /// left out.
  void replace(std::unique_ptr<samplers::Sampler> sampler, const Points& points);

 private:
  std::unique_ptr<samplers::Sampler> sampler_;
  Told told_;
  std::optional<double> too_little_;
};

}  // namespace dlrun::study
