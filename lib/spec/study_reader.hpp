// SPDX-License-Identifier: Apache-2.0
// The document of a study without `ablation:` to its normal form; every fault on the way.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "dataset/dataset.hpp"
#include "spec/reading.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

class StudyReader {
 public:
  /// @param is_ablation  the document is an ablation's baseline or variant: it need not have a space
  StudyReader(const Source& source, bool is_ablation, Faults& faults)
      : source_(source), is_ablation_(is_ablation), faults_(faults) {}

  Json read(const document::Node& root);

 private:
  Json read_keys(const document::Node& root);
  void refuse_ablation(const document::Node& root);
  void check_trial(Json& study);
  void check_training(Json& study);
  void check_reuse(Json& study);
  void check_device(const Json& study);
  std::vector<std::filesystem::path> placement_folders() const;
  WeightPlaces weight_places() const;
  std::filesystem::path data_folder(const Json& trial) const;
  std::filesystem::path folder_of(const std::string& path) const;

  const Source& source_;
  bool is_ablation_;
  Faults& faults_;
  std::optional<dataset::Schema> schema_;
};

}  // namespace dlrun::spec
