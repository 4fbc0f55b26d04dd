// SPDX-License-Identifier: Apache-2.0
// The configuration a search found, as files of a study that can be ablated; gone with the object.
#pragma once
#include <filesystem>
#include <string>

#include "arguments.hpp"
#include "selectors.hpp"

namespace dlrun::cli {

class TrialFiles {
 public:
  /// Of the trial that --from and --trial name, the best one by default. @throws Error(not_found)
  explicit TrialFiles(const Arguments& arguments);
  ~TrialFiles();
  TrialFiles(const TrialFiles&) = delete;
  TrialFiles& operator=(const TrialFiles&) = delete;

  std::string baseline() const { return (folder_ / "trial.yaml").string(); }  ///< its values; named as the study
  std::string start() const { return (folder_ / "default.yaml").string(); }   ///< the study's values as written
  /// Writes `text` as the file of what is ablated. @return its name
  std::string write_ablation(const std::string& text) const;
  const OneTrial& trial() const { return trial_; }
  std::string name() const;  ///< "digits/17"

 private:
  OneTrial trial_;
  std::filesystem::path folder_;
};

}  // namespace dlrun::cli
