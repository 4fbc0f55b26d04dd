// SPDX-License-Identifier: Apache-2.0
// The configuration a search found, as files of a study that can be ablated; gone with the object.
#pragma once
#include <string>

#include "arguments.hpp"
#include "report/selectors.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::cli {

class TrialFiles {
 public:
  /// Files of the trial that --from and --trial name, the best one by default. @throws Error(not_found)
  explicit TrialFiles(const Arguments& arguments);

  std::string baseline() const { return (folder_.path() / "trial.yaml").string(); }  ///< trial's values, study's name
  std::string start() const { return (folder_.path() / "default.yaml").string(); }   ///< the study's values as written
  /// Writes `text` as the file of the ablation's components. @return its name
  std::string write_ablation(const std::string& text) const;
  const report::OneTrial& trial() const { return trial_; }
  std::string name() const;  ///< "digits/17"

 private:
  report::OneTrial trial_;
  TemporaryFolder folder_;
};

}  // namespace dlrun::cli
