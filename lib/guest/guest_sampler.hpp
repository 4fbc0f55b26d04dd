// SPDX-License-Identifier: Apache-2.0
// A plugin as a sampler of the study.
#pragma once
#include <cstdint>
#include <string>

#include "guest/process.hpp"
#include "samplers/sampler.hpp"
#include "samplers/untried.hpp"

namespace dlrun::guest {

struct SamplerSetting {
  std::string name;
  Json options;  ///< the section of the study, without `op`
  std::uint64_t seed = 0;
  std::size_t objectives = 1;
};

/// Asks the process of a plugin for values (include/dlrun/plugin/sampler.hpp). Starts and results are buffered there
/// until the next proposal. A point that a constraint excludes or that was tried is asked for anew, then moved, as for
/// built-in samplers (samplers::Untried).
///
/// Errors: besides those of Process, a value outside of its domain is Error(outside).
class GuestSampler final : public samplers::Sampler {
 public:
  GuestSampler(const space::Space& space, SamplerSetting setting, Limits limits = limits_of_environment());

  std::string_view name() const override { return setting_.name; }
  void learn(const std::vector<samplers::Observation>& trials) override;
  void on_start(trial::TrialId trial, const space::Values& values) override;
  void on_result(const samplers::Observation& seen) override;
  std::optional<space::Values> propose(std::int64_t number) override;
  std::string reason() const override { return reason_; }

  /// For tests of a plugin: its process.
  const Process& process() const { return process_; }

 private:
  std::optional<space::Values> ask(std::int64_t number, int attempt);
  space::Values checked(const Json& values);

  samplers::Untried untried_;
  SamplerSetting setting_;
  Process process_;
  std::string reason_;
};

}  // namespace dlrun::guest
