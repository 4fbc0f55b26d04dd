// SPDX-License-Identifier: Apache-2.0
// Ablation studies whose truth is known: simulated metrics of components that help, of a redundant pair and of noise,
// judged as a study is, and how often the verdicts are right.
#pragma once
#include <cstdint>

#include "statistics/contributions.hpp"

namespace dlrun::sim {

/// Metrics spread by 1 between runs; baseline and variant correlate by 1/2, for they share their seeds.
struct TruthOptions {
  int studies = 2'000;
  int replicates = 10;
  int informative = 3;  ///< components whose removal costs `effect`
  double effect = 1;
  int redundant = 2;  ///< of each alone the removal costs nothing, of all together `effect`
  int noise = 3;      ///< components that do nothing
  double rope = 0;
  std::uint64_t seed = 1;
};

/// Shares of studies, or of components.
struct Truth {
  double false_positive = 0;  ///< studies that call one component or more without an effect helpful or harmful
  double found = 0;           ///< informative components that are called helpful, after correction
  double below_alpha = 0;     ///< informative components with p < .05, before correction
  double negligible = 0;      ///< components without an effect that are called negligible
  double wrong_way = 0;       ///< informative components that are called harmful or negligible
  double covered = 0;         ///< effects inside their 95 % interval
  double interaction = 0;     ///< interactions of the redundant pair with p < .05 and the right sign
};
Truth simulate(const TruthOptions& options);

/// One variant with this effect, looked at again and again.
struct SequentialTruth {
  double called = 0;      ///< share of studies that settle on helps or hurts
  double negligible = 0;  ///< share that settle on negligible
  double replicates = 0;  ///< mean number until settled, or all
  double reported = 0;    ///< share of studies whose report calls one variant or more helpful or harmful; where asked
};
struct SequentialOptions {
  int studies = 2'000;
  double effect = 0;
  int family = 1;
  double rope = 0;
  bool reports = false;  ///< some milliseconds for each variant
  statistics::Looks looks{{4, 6, 8, 10, 12}, statistics::Boundary::obrien_fleming};
  std::uint64_t seed = 1;
};
/// With a family, `called` is the share of studies that settle so on one of its variants or more.
SequentialTruth simulate_looks(const SequentialOptions& options);

}  // namespace dlrun::sim
