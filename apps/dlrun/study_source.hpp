// SPDX-License-Identifier: Apache-2.0
// A study file as the options of a verb say: --set, --data, DLRUN_DATA, --name.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::cli {

/// Folders of DLRUN_DATA, which are separated by colons, where data files are looked for too.
std::vector<std::filesystem::path> usual_data_folders();

/// Reads the file, prints its warnings. @throws Error(usage) with all its faults.
/// @param sets  more of --set, from other options of the verb
spec::StudySpec read_study(const std::string& file, const Arguments& arguments, Console& console,
                           const std::vector<std::string>& sets = {});

/// Reads a file that may be an ablation, with a second file laid over the first where two are named.
spec::StudySpec read_any_study(const Arguments& arguments, Console& console);
/// Reads a file that has to be an ablation.
spec::StudySpec read_ablation(const Arguments& arguments, Console& console);

/// Files of an ablation that are not those of the command line.
struct AblationFiles {
  std::string study;              ///< name of the baseline in messages
  std::string over;               ///< the study's `ablation:`
  std::string start;              ///< start of a path that says `from: default`
  std::vector<std::string> sets;  ///< more of --set
  std::string text;               ///< the baseline as YAML
};
spec::StudySpec read_ablation(const AblationFiles& files, const Arguments& arguments, Console& console);

/// A study that follows from one in the store, to which no option of the command line belongs.
struct PlannedStudy {
  std::string file;  ///< name in messages; no file is read
  Json study;
  bool is_ablation = false;
  std::vector<std::string> sets;
};
spec::StudySpec read_planned_study(const PlannedStudy& planned, const std::filesystem::path& store, Console& console);

/// Throws as read_planned_study() would, and says nothing else.
void check_planned_study(const PlannedStudy& planned, const std::filesystem::path& store);

/// The study as the options say, whose parts are asked about.
spec::Source baseline_source(const std::string& file, const Arguments& arguments);

/// Components that an ablation of the study could leave out, as YAML.
std::string suggested_ablation(const std::string& file, const Arguments& arguments);

}  // namespace dlrun::cli
