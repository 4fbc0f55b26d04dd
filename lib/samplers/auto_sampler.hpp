// SPDX-License-Identifier: Apache-2.0
// The sampler a study gets that asks for none.
#pragma once
#include <memory>
#include <vector>

#include "samplers/sampler.hpp"

namespace dlrun::samplers {

/// Turns of AutoSampler by number of trials. The defaults were chosen on the functions of tests/bench (seeds other than
/// the reported ones) and on some of 20 and 30 parameters.
struct AutoOptions {
  std::int64_t modelled = 300;  ///< trials up to which the Gaussian process takes part: its cost grows with their cube
  std::size_t wide = 10;        ///< numbers from which on every third trial is CMA-ES's, not every fourth TPE's
};

/// Samplers that take turns, each told of every trial, so that all use the finds of one. A Gaussian process finds
/// most per trial where it is right about the function; every fourth trial is TPE's, which it misleads less (many
/// optima, choices); where there are many numbers and nothing else, every third is CMA-ES's. Beyond `modelled` trials
/// TPE and CMA-ES remain. Whose turn it is follows from the number of trials started, so it is the same on any number
/// of workers. Of several objectives, which TPE alone of them knows, every trial is TPE's. Measured beside its members
/// by tests/bench/run search.
class AutoSampler final : public Sampler {
 public:
  AutoSampler(const space::Space& space, std::uint64_t seed, const AutoOptions& options = {});
  ~AutoSampler() override;

  std::string_view name() const override { return "auto"; }
  void learn(const std::vector<Observation>& trials) override;
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const Observation& observation) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }
  /// Known at the turns of the Gaussian process only.
  std::optional<double> expected_improvement() const override { return improvement_; }

 private:
  using Members = std::vector<Sampler*>;
  const Members& turns() const { return has_several_ ? fronts_ : started_ < options_.modelled ? early_ : late_; }
  Sampler* add_member(std::unique_ptr<Sampler> member);

  AutoOptions options_;
  std::vector<std::unique_ptr<Sampler>> all_;
  Members early_, late_, fronts_;  ///< samplers that take turns
  bool has_several_ = false;       ///< objectives: known with the first result
  std::int64_t started_ = 0;
  std::optional<double> improvement_;
  std::string reason_;
};

}  // namespace dlrun::samplers
