// SPDX-License-Identifier: Apache-2.0
// dlrun stop [STUDY]: as Ctrl-C where it runs.
#include "arguments.hpp"
#include "driver/driver.hpp"
#include "output/console.hpp"
#include "report/selectors.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_stop(const Arguments& arguments, Console& console) {
  const std::string study =
      report::find_study(arguments.store(), arguments.words().empty() ? "" : arguments.words()[0]);
  const bool is_running = driver::ask_running(arguments.store(), study, {{"command", "stop"}}).has_value();
  console.note(is_running ? study + " is saving and will end; go on with: dlrun resume " + study
                          : study + " is not running");
  return 0;
}

}  // namespace

Verb stop_verb() {
  return {.name = "stop",
          .summary = "let a running study save and end",
          .text = "Workers save what they have and end; `dlrun resume` goes on from there.",
          .arguments =
              {{.name = "STUDY", .text = "its name (default: the one started last)", .kind = Kind::study, .least = 0}},
          .options = {store_option()},
          .examples = {{"dlrun stop", "the study started last"}},
          .run = run_stop};
}

}  // namespace dlrun::cli
