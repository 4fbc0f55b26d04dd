// SPDX-License-Identifier: Apache-2.0
// dlrun version
#include "arguments.hpp"
#include "output/console.hpp"
#include "util/version.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_version(const Arguments&, Console& console) {
  if (console.format() == "table") {
    console.data(std::string("dlrun ") + version() + "\n");
  } else {
    console.print(report::Table{.columns = {"program", "version"}, .rows = {{"dlrun", version()}}});
  }
  return 0;
}

}  // namespace

Verb version_verb() {
  return {.name = "version",
          .summary = "print the version",
          .options = {format_option()},
          .examples = {{"dlrun --version", "the same"}, {"dlrun version --format json", "for scripts"}},
          .run = run_version};
}

}  // namespace dlrun::cli
