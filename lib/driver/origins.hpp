// SPDX-License-Identifier: Apache-2.0
// Origins of an ablation's trials: the trial that each was made from.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// A variant is ablated from the baseline of its replicate, the baseline from the trial that `dlrun ablate --from` took
/// from a search; a candidate of a race from its trial. Trials of other studies have no origin.
class Origins {
 public:
  /// Both must outlive it.
  Origins(const spec::StudySpec& spec, const study::Study& study);

  /// nullopt: the trial has no origin, or its baseline is not decided yet. REQUIRES: the trial is the study's.
  std::optional<storage::Origin> of(trial::TrialId trial);

 private:
  /// nullopt: the trial is no replicate, but tries settings.
  std::optional<std::int64_t> replicate_of(const space::Values& values) const;
  void learn_baselines();
  /// Trial of the search that a candidate of a race is. REQUIRES: the study is such a race.
  std::optional<storage::Origin> candidate(std::int64_t variant) const;

  const spec::StudySpec& spec_;
  const study::Study& study_;
  std::optional<std::size_t> variant_, replicate_;    ///< parameters of the space
  std::map<std::int64_t, trial::TrialId> baselines_;  ///< by replicate
  std::int64_t next_ = 0;                             ///< the first trial not looked at
};

}  // namespace dlrun::driver
