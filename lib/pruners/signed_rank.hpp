// SPDX-License-Identifier: Apache-2.0
// Wilcoxon's signed-rank test of paired differences in a sequence of looks.
#pragma once
#include <vector>

namespace dlrun::pruners {

/// A one-sided signed-rank test that may look after each difference, from number `first` to number `last`, and rejects
/// wrongly at any of its looks with a probability of at most alpha together (a plain test at every look does not).
///
/// Alpha is spent over the looks as alpha x ln(1 + (e - 1) k / last), which is Pocock's boundary (Lan and DeMets,
/// Biometrika 1983, section 2). The critical values are exact: given the sizes of the differences all 2^k signs are
/// equally likely, and of those that no earlier look has rejected the most extreme are, as many as may be spent. Beyond
/// kEnumerated differences a look is a plain test at what it adds to the spending, which is valid by the union bound.
class SequentialSignedRank {
 public:
  static constexpr int kEnumerated = 12;

  SequentialSignedRank(double alpha, int first, int last) : alpha_(alpha), first_(first), last_(last) {}

  /// Does the look after these differences reject, where those before it did not?
  bool rejects(const std::vector<double>& differences) const;
  /// Alpha spent up to the look after k differences.
  double spent(int k) const;

 private:
  bool rejects_by_signs(const std::vector<double>& differences) const;

  double alpha_;
  int first_;
  int last_;
};

}  // namespace dlrun::pruners
