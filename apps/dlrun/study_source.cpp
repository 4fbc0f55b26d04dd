// SPDX-License-Identifier: Apache-2.0
#include "study_source.hpp"

#include <cstdlib>
#include <filesystem>

#include "document/emit.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

std::vector<std::filesystem::path> usual_data_folders() {
  std::vector<std::filesystem::path> folders;
  const char* variable = std::getenv("DLRUN_DATA");
  std::string rest = variable ? variable : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (colon != 0) folders.emplace_back(rest.substr(0, colon));
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return folders;
}

namespace {

/// Folders of --data first, then those of DLRUN_DATA.
std::vector<std::filesystem::path> data_folders(const Arguments& arguments) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& folder : arguments.list("data")) {
    if (!std::filesystem::is_directory(folder)) {
      throw Error(ErrorKind::usage, "--data '" + folder + "' is no folder",
                  "name the folder that holds the data files");
    }
    folders.emplace_back(folder);
  }
  for (std::filesystem::path& folder : usual_data_folders()) folders.push_back(std::move(folder));
  return folders;
}

/// Warnings become notes.
spec::StudySpec read_noting(const spec::Source& source, Console& console) {
  std::vector<spec::Warning> warnings;
  spec::StudySpec spec = spec::read(source, &warnings);
  for (const spec::Warning& warning : warnings) console.note(warning.text);
  return spec;
}

spec::StudySpec read_source(spec::Source source, const Arguments& arguments, Console& console) {
  source.data_folders = data_folders(arguments);
  source.checkpoint = [&](const std::string& sha256) { return storage::checkpoint_file(arguments.store(), sha256); };
  source.has_study = [&](const std::string& name) {
    return name == "last" || (storage::is_valid_name(name) && storage::Store::find(arguments.store(), name));
  };
  return read_noting(source, console);
}

spec::Source source_of(const std::string& file, const Arguments& arguments) {
  spec::Source source{.file = file, .sets = arguments.list("set")};
  if (arguments.has("executor")) source.executor = arguments.text("executor");
  if (arguments.has("name")) source.sets.push_back("study=" + arguments.text("name"));
  return source;
}

spec::StudySpec read_words(spec::Ablation ablation, const Arguments& arguments, Console& console) {
  spec::Source source = source_of(arguments.words().at(0), arguments);
  source.ablation = ablation;
  if (arguments.words().size() > 1) source.over = arguments.words()[1];
  return read_source(std::move(source), arguments, console);
}

}  // namespace

spec::StudySpec read_study(const std::string& file, const Arguments& arguments, Console& console,
                           const std::vector<std::string>& sets) {
  spec::Source source = source_of(file, arguments);
  source.sets.insert(source.sets.end(), sets.begin(), sets.end());
  return read_source(std::move(source), arguments, console);
}

spec::StudySpec read_any_study(const Arguments& arguments, Console& console) {
  return read_words(spec::Ablation::allowed, arguments, console);
}

spec::StudySpec read_ablation(const Arguments& arguments, Console& console) {
  return read_words(spec::Ablation::required, arguments, console);
}

spec::StudySpec read_ablation(const AblationFiles& files, const Arguments& arguments, Console& console) {
  spec::Source source = source_of(files.study, arguments);
  source.sets.insert(source.sets.begin(), files.sets.begin(), files.sets.end());
  source.ablation = spec::Ablation::required;
  source.over = files.over;
  source.start = files.start;
  source.text = files.text;
  return read_source(std::move(source), arguments, console);
}

namespace {

spec::Source source_of(const PlannedStudy& planned, const std::filesystem::path& store) {
  spec::Source source{.file = planned.file, .sets = planned.sets, .text = document::to_yaml(planned.study)};
  source.checkpoint = [store](const std::string& sha256) { return storage::checkpoint_file(store, sha256); };
  if (planned.is_ablation) source.ablation = spec::Ablation::required;
  return source;
}

}  // namespace

spec::StudySpec read_planned_study(const PlannedStudy& planned, const std::filesystem::path& store, Console& console) {
  return read_noting(source_of(planned, store), console);
}

void check_planned_study(const PlannedStudy& planned, const std::filesystem::path& store) {
  (void)spec::read(source_of(planned, store));
}

spec::Source baseline_source(const std::string& file, const Arguments& arguments) {
  spec::Source source = source_of(file, arguments);
  source.data_folders = data_folders(arguments);
  return source;
}

std::string suggested_ablation(const std::string& file, const Arguments& arguments) {
  return spec::suggest_ablation(baseline_source(file, arguments));
}

}  // namespace dlrun::cli
