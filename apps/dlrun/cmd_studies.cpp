// SPDX-License-Identifier: Apache-2.0
// dlrun studies
#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_studies(const Arguments& arguments, Console& console) {
  const report::Table studies = report::list_studies(arguments.store());
  if (studies.rows.empty()) {
    console.note("no studies in '" + arguments.store() + "' yet; `dlrun tune study.yaml` begins one");
    if (console.format() == "table") return 0;
  }
  console.print(studies);
  return 0;
}

}  // namespace

Verb studies_verb() {
  return {.name = "studies",
          .summary = "list the studies of a store",
          .options = {format_option(), store_option()},
          .examples = {{"dlrun studies", "all of ./dlrun-store"}, {"dlrun studies -q", "their names alone"}},
          .run = run_studies};
}

}  // namespace dlrun::cli
