// SPDX-License-Identifier: Apache-2.0
// The variants of an ablation study beside its baseline: effects, corrected p values, verdicts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "statistics/boundaries.hpp"
#include "statistics/claimed.hpp"
#include "statistics/corrections.hpp"
#include "statistics/paired.hpp"
#include "statistics/verdict.hpp"

namespace dlrun::statistics {

/// A variant's metric by replicate; nullopt: it failed.
using Cells = std::vector<std::optional<double>>;

enum class PairedTest { paired_t, sign_flip, wilcoxon };
/// @throws Error(usage) with the names there are.
PairedTest paired_test_named(const std::string& name);

/// How a study looks at its replicates while they come in; no looks: once, at all of them.
struct Looks {
  std::vector<int> at;
  Boundary boundary = Boundary::obrien_fleming;
};

struct AnalysisOptions {
  bool maximize = true;
  double alpha = 0.05;
  double level = 0.95;  ///< level of the intervals
  double rope = 0;      ///< effects within [-rope, rope] do not matter; 0: every effect does
  Correction correction = Correction::holm;
  PairedTest test = PairedTest::paired_t;
  /// Only a constant prediction measures exactly the same in all replicates. False: for programs and functions, which
  /// need not have any noise.
  bool constant_is_collapsed = true;
  double test_share = 0;  ///< EffectOptions::test_share
  Looks looks;
};

inline constexpr double kUnstable = 0.2;  ///< share of failed replicates beyond which a variant is not ranked

struct Contribution {
  std::optional<Effect> effect;  ///< nullopt: fewer than two complete pairs
  std::optional<Luck> luck;      ///< where the comparison has examples
  double metric = 0;             ///< mean without the component, over complete pairs
  double superiority = 0.5;      ///< P(with > without)
  std::optional<double> correlation;
  int lost = 0;  ///< replicates of which only one of the two was measured, or neither
  double p = 1;  ///< p of the chosen test, over all looks where there are any
  double p_corrected = 1;
  double p_signs = 1;        ///< exact sign-flip
  double p_equivalence = 1;  ///< over all looks, too
  bool is_disputed = false;  ///< test and signs disagree at alpha, before correction; not of a claim about examples
  bool is_unstable = false;
  bool is_collapsed = false;
  Verdict verdict = Verdict::inconclusive;
};

/// Whether all replicates, three or more, ended with exactly the same metric.
bool is_constant(const Cells& cells);

/// Gain of a component in each replicate that both measured.
std::vector<double> paired_gains(const Cells& base, const Cells& variant, bool maximize);
/// Whether a variant has more failed replicates than kUnstable allows.
bool is_unstable(const Cells& cells);
/// Two-sided, by the chosen test, as of a single look.
double test_p(const std::vector<double>& differences, const AnalysisOptions& options);

/// A component that is there in one and not in the other.
struct Comparison {
  Cells with;
  Cells without;
  bool has_collapsed = false;  ///< one of them predicts a constant, says the caller; is_constant may be looked at too
  /// Gains of the examples of each complete pair, in their order, for a claim about examples that were not seen; by
  /// Student's test. Empty: the claim is about these examples.
  std::vector<ExampleValues> gains = {};
  bool is_unstable = false;  ///< too many of their runs failed, says the caller, who leaves out the replicates
};

/// Contributions in the order of the comparisons. The family of the correction is those that can be ranked.
std::vector<Contribution> contributions(const std::vector<Comparison>& comparisons, const AnalysisOptions& options);

/// Contributions from variants that lack a component each, beside the baseline.
std::vector<Contribution> contributions(const Cells& base, const std::vector<Cells>& variants,
                                        const AnalysisOptions& options);

/// m(full) - m(-i) - m(-j) + m(-ij) by replicate, which is 0 where two components do not need one another: positive,
/// each needs the other; negative, each can stand in for the other. A family of its own.
struct Interaction {
  std::optional<Effect> effect;  ///< nullopt: invalid, or fewer than two complete fours
  bool is_invalid = false;       ///< one of the four has collapsed or is unstable, so that no difference counts
  int lost = 0;
  double p = 1;
  double p_corrected = 1;
};
/// The four variants of two components.
struct Crossing {
  const Cells* whole;
  const Cells* without_first;
  const Cells* without_second;
  const Cells* without_both;
  bool has_collapsed = false;             ///< as Comparison::has_collapsed
  std::vector<ExampleValues> gains = {};  ///< as Comparison::gains, of the replicates that all four measured
};
std::vector<Interaction> interactions(const std::vector<Crossing>& crossings, const AnalysisOptions& options);

}  // namespace dlrun::statistics
