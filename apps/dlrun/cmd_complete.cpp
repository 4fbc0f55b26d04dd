// SPDX-License-Identifier: Apache-2.0
// dlrun __complete KIND [PREFIX]: names for the shells' scripts, one a line. Silent about every fault: a person is
// typing.
#include "arguments.hpp"
#include "output/console.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run(const Arguments&, Console&) { return 0; }

}  // namespace

Verb complete_verb() {
  return {.name = "__complete",
          .summary = "names of studies and trials, for completion",
          .arguments = {{.name = "KIND", .text = "study, trial or target", .choices = {"study", "trial", "target"}},
                        {.name = "PREFIX", .text = "what is typed already", .least = 0}},
          .options = {store_option()},
          .run = run,
          .hidden = true};
}

}  // namespace dlrun::cli
