// SPDX-License-Identifier: Apache-2.0
// Answers to the reader of an ablation, which lies below this room.
#pragma once
#include "ablation/checker.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

class StudyChecker final : public ablation::Checker {
 public:
  /// @param source  of the study, with its folders; it must outlive the checker
  explicit StudyChecker(const Source& source) : source_(source) {}

  Json check(const document::Node& root, document::Faults& faults) const override;
  Json trial_of(const document::Node& file, document::Faults& faults) const override;
  Json concise(const Json& trial) const override;
  std::vector<std::string> kept_defaults(const Json& trial, const Json& sets,
                                         const document::Node& root) const override;
  Json identity(const Json& trial) const override;
  Json init_beside(Json init, const document::Span& written) const override;
  std::vector<std::string> metrics_of(const Json& study) const override;
  space::Space space_of(const Json& parameters, const Json& constraints) const override;
  Json inputs_of(const Json& data, std::uint64_t seed) const override;
  std::map<std::string, double> majority_shares(const Json& study) const override;

 private:
  const Source& source_;
};

}  // namespace dlrun::spec
