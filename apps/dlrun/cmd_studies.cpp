// SPDX-License-Identifier: Apache-2.0
// dlrun studies
#include "arguments.hpp"
#include "output/console.hpp"
#include "report/readable.hpp"
#include "report/report.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_studies(const Arguments& arguments, Console& console) {
  const report::StudyList studies = report::list_studies(arguments.store());
  const bool is_empty = studies.table.rows.empty();
  if (is_empty && studies.faults.empty())
    console.note("no studies in '" + arguments.store() + "' yet; `dlrun tune study.yaml` begins one");
  if (!is_empty || console.format() != "table") console.print(studies.table);
  report::require_none(studies.faults);
  return 0;
}

}  // namespace

Verb studies_verb() {
  return {.name = "studies",
          .summary = "list the studies of a store",
          .text = "Studies that cannot be read are named behind the list, and it ends with 4.",
          .options = {format_option(), store_option()},
          .examples = {{"dlrun studies", "all of ./dlrun-store"}, {"dlrun studies -q", "their names alone"}},
          .run = run_studies};
}

}  // namespace dlrun::cli
