// SPDX-License-Identifier: Apache-2.0
// dlrun help [VERB]
#include "arguments.hpp"
#include "help.hpp"
#include "output/console.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_help(const Arguments& arguments, Console& console) {
  if (arguments.words().empty()) {
    console.data(overview(console.out_style()));
  } else {
    console.data(verb_help(verb_named(arguments.words()[0]), console.out_style()));
  }
  return 0;
}

}  // namespace

Verb help_verb() {
  return {.name = "help",
          .summary = "say what dlrun, or one of its verbs, does",
          .arguments = {{.name = "VERB", .text = "the verb to explain", .kind = Kind::verb, .least = 0}},
          .examples = {{"dlrun help tune", "what `tune` takes"}},
          .run = run_help};
}

}  // namespace dlrun::cli
