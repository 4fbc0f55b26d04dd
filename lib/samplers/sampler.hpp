// SPDX-License-Identifier: Apache-2.0
// A sampler proposes the values of the next trial. Pure: trials and results in, values out.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/space.hpp"
#include "trial/trial.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

/// Facts that a sampler may know of one trial: all of them are visible at the decision's logical time.
struct Observation {
  trial::TrialId trial;
  space::Values values;
  std::optional<double> objective;   ///< lower is better here, for either direction; nullopt: failed
  std::int64_t steps = 0;            ///< epochs behind the objective
  bool is_whole = true;              ///< the trial gets no further: its budget is used up, or it ended early by itself
  std::vector<double> further = {};  ///< objectives after the first, where a study has several; lower is better
  /// How far beyond each bound of the study's `feasible:`, relative to its size; feasible where none is above 0.
  std::vector<double> excess = {};

  double violation() const {
    double sum = 0;
    for (const double e : excess) sum += e > 0 ? e : 0;
    return sum;
  }
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The name that keys its random stream; part of the format.
  virtual std::string_view name() const = 0;
  /// Trials of one earlier study, before the first of this one. They are neither pending nor tried: the space is used
  /// up without them. Some of their parameters may be unset. Samplers that do not learn have nothing to take from them.
  virtual void learn(const std::vector<Observation>&) {}
  /// A trial was decided and is pending from now on.
  virtual void on_start(trial::TrialId, const space::Values&) {}
  /// A result became visible (once per piece, in logical order).
  virtual void on_result(const Observation&) {}
  /// Values for decision `number`; nullopt: the space holds nothing new, the search ends. May be asked again with the
  /// same or a later number; only on_start makes a proposal a trial.
  virtual std::optional<space::Values> propose(std::int64_t number) = 0;
  /// How much better than the best the last proposal is expected to be, in units of the first objective; nullopt: not
  /// known.
  virtual std::optional<double> expected_improvement() const { return std::nullopt; }
  /// Reason of the last proposal, or why there was none; one line for `explain`, empty: nothing to say.
  virtual std::string reason() const { return {}; }
  /// Trials, ascending, that the visible results choose together; empty: the best one is the choice.
  virtual std::vector<trial::TrialId> chosen_trials() const { return {}; }
};

/// Sampler by its name in the spec: auto, random, grid, sobol, … @throws Error(usage) with the nearest known name, or
/// where the sampler cannot search this space.
std::unique_ptr<Sampler> make_sampler(const std::string& op, const space::Space& space, std::uint64_t seed);
/// Names for messages and the schema.
std::vector<std::string> sampler_names();
/// Names of samplers that can search for several objectives.
std::vector<std::string> sampler_names_for_several();
/// Names of samplers that learn from trials.
std::vector<std::string> sampler_names_that_learn();

}  // namespace dlrun::samplers
