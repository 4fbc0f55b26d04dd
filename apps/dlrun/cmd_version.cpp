// SPDX-License-Identifier: Apache-2.0
// dlrun version
#include "arguments.hpp"
#include "output/console.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run(const Arguments&, Console& console) {
  if (console.format() == "table") {
    console.data("dlrun " DLRUN_VERSION "\n");
  } else {
    console.print(report::Table{.columns = {"program", "version"}, .rows = {{"dlrun", DLRUN_VERSION}}});
  }
  return 0;
}

}  // namespace

Verb version_verb() {
  return {.name = "version",
          .summary = "print the version",
          .options = {format_option()},
          .examples = {{"dlrun --version", "the same"}, {"dlrun version --format json", "for scripts"}},
          .run = run};
}

}  // namespace dlrun::cli
