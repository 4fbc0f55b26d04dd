// SPDX-License-Identifier: Apache-2.0
// dlrun enqueue STUDY NAME=VALUE...
#include <fmt/format.h>

#include "arguments.hpp"
#include "enqueueing.hpp"
#include "output/console.hpp"
#include "report/selectors.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

int run_enqueue(const Arguments& arguments, Console& console) {
  const auto& words = arguments.words();
  if (words.size() < 2) {
    throw Error(ErrorKind::usage, "'enqueue' needs STUDY and NAME=VALUE", "usage: dlrun enqueue STUDY NAME=VALUE...");
  }
  const std::string study = report::find_study(arguments.store(), words[0]);
  const Enqueued enqueued = enqueue(arguments.store(), {study, {words.begin() + 1, words.end()}});
  console.note(enqueued.is_running
                   ? fmt::format("{} will try it next", study)
                   : fmt::format("{} will try it when it goes on: dlrun {} {}", study, enqueued.verb, study));
  return 0;
}

}  // namespace

Verb enqueue_verb() {
  return {.name = "enqueue",
          .summary = "ask for a trial with given values",
          .text =
              "The next trial gets these values; what is left out is filled in by the sampler. It comes beside the "
              "study's limit of trials. A study that has ended goes on with `dlrun resume`.",
          .arguments =
              {{.name = "STUDY", .text = "a study", .kind = Kind::study},
               {.name = "NAME=VALUE", .text = "parameters of its space", .kind = Kind::text, .least = 1, .most = -1}},
          .options = {store_option()},
          .examples = {{"dlrun enqueue first x1=0.5 x2=3", "two values; parameters left out are filled in"},
                       {"dlrun enqueue last x1=1.5", "of the study started last"}},
          .run = run_enqueue};
}

}  // namespace dlrun::cli
