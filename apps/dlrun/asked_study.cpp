// SPDX-License-Identifier: Apache-2.0
#include "asked_study.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "report/selectors.hpp"
#include "storage/store.hpp"
#include "study_source.hpp"

namespace dlrun::cli {

namespace {

bool is_file(const std::string& word) { return word.ends_with(".yaml") || word.ends_with(".yml"); }

spec::StudySpec spec_of(const storage::StudyRow& row) { return spec::from_json(row.spec, row.spec_text); }

}  // namespace

spec::StudySpec asked_study(const std::string& word, const std::string& lanes, const Arguments& arguments,
                            Console& console) {
  if (!is_file(word)) {
    const std::string name = report::find_study(arguments.store(), word);
    return spec_of(storage::Store::versions(arguments.store(), name).back());
  }
  std::vector<std::string> sets;
  if (!lanes.empty()) sets.push_back("search.lanes=" + lanes);
  const spec::StudySpec file = read_study(word, arguments, console, sets);
  const auto stored = storage::Store::find(arguments.store(), file.name);
  if (!stored || !lanes.empty() || file.rules.lanes != 1) return file;
  return read_study(word, arguments, console, {fmt::format("search.lanes={}", spec_of(*stored).rules.lanes)});
}

}  // namespace dlrun::cli
