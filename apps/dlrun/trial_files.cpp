// SPDX-License-Identifier: Apache-2.0
#include "trial_files.hpp"

#include <fmt/format.h>

#include "final/trial_study.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

TrialFiles::TrialFiles(const Arguments& arguments)
    : trial_(report::find_trial(arguments.store(), arguments.text("from") + '/' + arguments.text("trial", "best"))),
      folder_("dlrun-from") {
  write_file(baseline(), final::trial_study(arguments.store(), trial_.study, trial_.number, trial_.study));
  write_file(start(), final::default_study(arguments.store(), trial_.study, trial_.number));
}

std::string TrialFiles::write_ablation(const std::string& text) const {
  std::string name = (folder_.path() / "ablation.yaml").string();
  write_file(name, text);
  return name;
}

std::string TrialFiles::name() const { return fmt::format("{}/{}", trial_.study, trial_.number); }

}  // namespace dlrun::cli
