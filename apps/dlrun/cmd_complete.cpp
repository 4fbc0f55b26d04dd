// SPDX-License-Identifier: Apache-2.0
// dlrun __complete KIND [PREFIX]: names for the shells' scripts, one a line. Silent about every fault: a person is
// typing.
#include <fmt/format.h>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr int kMost = 200;  // more than that nobody reads

void add_trials(const std::filesystem::path& store, const std::string& study, std::vector<std::string>& names) {
  const report::Table trials =
      report::sql(store, {study}, fmt::format("select trial from trials order by trial desc limit {}", kMost));
  for (const auto& row : trials.rows) names.push_back(fmt::format("{}/{}", study, row[0].get<std::int64_t>()));
}

std::vector<std::string> find(const std::string& kind, const std::filesystem::path& store) {
  std::vector<std::string> names;
  if (kind != "trial") names = storage::Store::names(store);
  if (kind == "study") return names;
  for (const std::string& study : storage::Store::names(store)) {
    try {
      add_trials(store, study, names);
    } catch (const Error&) {  // a damaged study must not print into somebody's command line
    }
  }
  return names;
}

/// None where the store itself cannot be read.
std::vector<std::string> names_in(const std::string& kind, const std::filesystem::path& store) {
  try {
    return find(kind, store);
  } catch (const Error&) {
    return {};
  }
}

int run_complete(const Arguments& arguments, Console& console) {
  const std::string prefix = arguments.words().size() > 1 ? arguments.words()[1] : "";
  std::string out;
  for (const std::string& name : names_in(arguments.words()[0], arguments.store())) {
    if (name.compare(0, prefix.size(), prefix) == 0) out += name + "\n";
  }
  console.data(out);
  return 0;
}

}  // namespace

Verb complete_verb() {
  return {.name = "__complete",
          .summary = "names of studies and trials, for completion",
          .arguments = {{.name = "KIND", .text = "study, trial or target", .choices = {"study", "trial", "target"}},
                        {.name = "PREFIX", .text = "what is typed already", .least = 0}},
          .options = {store_option()},
          .run = run_complete,
          .hidden = true};
}

}  // namespace dlrun::cli
