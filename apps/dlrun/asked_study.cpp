// SPDX-License-Identifier: Apache-2.0
#include "asked_study.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "report/selectors.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "study_source.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

bool is_file(const std::string& word, const Arguments& arguments) {
  std::error_code none;
  if (std::filesystem::is_regular_file(word, none)) return true;
  const bool is_study = storage::is_valid_name(word) && storage::Store::find(arguments.store(), word);
  return !is_study && (word.ends_with(".yaml") || word.ends_with(".yml"));
}

spec::StudySpec newest(const Arguments& arguments, const std::string& study) {
  const storage::StudyRow row = storage::Store::versions(arguments.store(), study).back();
  return spec::from_json(row.spec, row.spec_text);
}

/// Lanes that a file and its --set ask for, of a study that has so many.
int lanes_of(const std::string& file, int stored, const Arguments& arguments) {
  spec::Source source = baseline_source(file, arguments);
  source.over = source.file;
  source.text = fmt::format("search: {{lanes: {}}}", stored);
  return spec::read(source).rules.lanes;
}

/// Options that say how a file is read say nothing of a study that is there.
void refuse_options_of_files(const std::string& word, const Arguments& arguments) {
  for (const char* option : {"set", "name", "data", "lanes", "amend", "default"}) {
    if (!arguments.has(option)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} is for a study file, and '{}' is a study of the store", option, word),
                "name the file, or leave the option out");
  }
}

/// Lanes bound what is out only where an answer waits for results.
void require_used_lanes(const spec::StudySpec& file) {
  if (file.rules.arrival && file.rules.lanes > 1)
    throw Error(
        ErrorKind::usage,
        fmt::format("lanes: {} changes nothing: under order: arrival every ask gives a trial", file.rules.lanes),
        "leave lanes out, or take order: logical");
}

std::string study_named(const std::string& word, const Arguments& arguments) {
  if (word.empty()) throw Error(ErrorKind::usage, "'' names no study", "name one, or its file");
  return report::find_study(arguments.store(), word);
}

}  // namespace

spec::StudySpec asked_study(const std::string& word, const Arguments& arguments, Console& console) {
  if (!is_file(word, arguments)) {
    refuse_options_of_files(word, arguments);
    return newest(arguments, study_named(word, arguments));
  }
  std::vector<std::string> sets;
  const bool says_lanes = arguments.has("lanes");
  if (says_lanes) sets.push_back(fmt::format("search.lanes={}", arguments.number("lanes", 1, 1)));
  spec::StudySpec file = read_study(word, arguments, console, sets);
  const bool is_stored = storage::Store::find(arguments.store(), file.name).has_value();
  if (!is_stored) require_used_lanes(file);
  if (!is_stored || says_lanes || file.rules.lanes != 1) return file;
  const int lanes = lanes_of(word, newest(arguments, file.name).rules.lanes, arguments);
  if (lanes == file.rules.lanes) return file;
  return read_study(word, arguments, console, {fmt::format("search.lanes={}", lanes)});
}

spec::StudySpec told_study(const std::string& word, const Arguments& arguments, Console& console) {
  const std::string name =
      is_file(word, arguments) ? read_study(word, arguments, console).name : study_named(word, arguments);
  return newest(arguments, report::find_study(arguments.store(), name));
}

}  // namespace dlrun::cli
