// SPDX-License-Identifier: Apache-2.0
#include "trial_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "trial_study.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace {

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "dlrun-from-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(ErrorKind::outside, fmt::format("making a folder '{}'", name), "is there room for temporary files?");
  return name;
}

}  // namespace

TrialFiles::TrialFiles(const Arguments& arguments)
    : trial_(find_trial(arguments.store(), arguments.text("from") + '/' + arguments.text("trial", "best"))),
      folder_(new_folder()) {
  write_file(baseline(), trial_study(arguments.store(), trial_.study, trial_.number, trial_.study));
  write_file(start(), default_study(arguments.store(), trial_.study, trial_.number));
}

TrialFiles::~TrialFiles() {
  std::error_code fault;
  std::filesystem::remove_all(folder_, fault);
}

std::string TrialFiles::write_ablation(const std::string& text) const {
  std::string name = (folder_ / "ablation.yaml").string();
  write_file(name, text);
  return name;
}

std::string TrialFiles::name() const { return fmt::format("{}/{}", trial_.study, trial_.number); }

}  // namespace dlrun::cli
