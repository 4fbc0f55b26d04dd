// SPDX-License-Identifier: Apache-2.0
// Answer of an ablation in sentences: one that sums up, one for each finding, one for what is not known yet.
#pragma once
#include <optional>

#include "report/ablation.hpp"

namespace dlrun::report {

/// Amounts of a study's metric in words: points if the metric is a share, else its own unit.
class Amounts {
 public:
  explicit Amounts(const AblationStudy& study);
  /// @param is_share  the metric is a share of examples
  Amounts(std::string metric, bool maximize, bool is_share)
      : metric_(std::move(metric)), maximize_(maximize), is_share_(is_share) {}

  double scale() const { return is_share_ ? 100 : 1; }
  bool is_share() const { return is_share_; }
  /// "2.1 points [1.7, 2.4]", sizes without their signs.
  std::string size_of(const statistics::Effect& effect) const;
  /// "1 point", "2.5 points"
  std::string text(double amount) const;
  /// Effect on the metric: "costs 2.1 points [1.7, 2.4]", "raises val.loss by 0.12 [0.10, 0.14]",
  /// "does not change val.loss".
  std::string change(const statistics::Effect& gain, bool is_lost) const;

 private:
  std::string metric_;
  bool maximize_;
  bool is_share_;
};

/// Sentences on components, each with the component that it is about, null for those about several. The first sentence
/// sums up.
Table findings_table(const AblationStudy& study, const std::vector<Judged>& judged);

/// The contributions of `findings_table` for people: few columns, in points if the metric is a share.
Table short_table(const AblationStudy& study, const std::vector<Judged>& judged);

/// Replicates at which the widest interval of these would be so narrow that each is settled: it excludes 0 or lies
/// within the rope. nullopt: no number does, as replicates share examples.
std::optional<int> settling_replicates(const std::vector<const Judged*>& open,
                                       const statistics::AnalysisOptions& analysis);

}  // namespace dlrun::report
