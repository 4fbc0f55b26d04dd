// SPDX-License-Identifier: Apache-2.0
// dlrun status [STUDY...]
#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "selectors.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run(const Arguments& arguments, Console& console) {
  const std::vector<std::string> studies = find_studies(arguments.store(), arguments.words());
  console.print(report::Reader(arguments.store(), studies).status());
  return 0;
}

}  // namespace

Verb status_verb() {
  return {.name = "status",
          .summary = "say how far a study is",
          .arguments = {{.name = "STUDY",
                         .text = "names, or all (default: the study started last)",
                         .kind = Kind::study,
                         .least = 0,
                         .most = -1}},
          .options = {format_option(), store_option()},
          .examples = {{"dlrun status", "the study started last"}, {"dlrun status all --format json", "for scripts"}},
          .run = run};
}

}  // namespace dlrun::cli
