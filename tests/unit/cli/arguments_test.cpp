// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <map>
#include <set>

#include "help.hpp"
#include "output/progress.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace arguments_test {

using namespace dlrun;
using namespace dlrun::cli;

TEST_CASE("the table of verbs is whole", "[cli][verbs]") {
  std::set<std::string> names;
  std::map<std::string, std::vector<std::string>> choices;  // completion knows an option by its name alone
  for (const Verb& verb : verbs()) {
    INFO(verb.name);
    CHECK(names.insert(verb.name).second);
    CHECK(verb.run);
    CHECK_FALSE(verb.summary.empty());
    if (verb.hidden) continue;
    CHECK_FALSE(verb.examples.empty());
    for (const Example& example : verb.examples) CHECK(example.line.rfind("dlrun ", 0) == 0);
    CHECK_THAT(overview(Style()), Contains("  " + verb.name + " "));
    std::set<std::string> options;
    std::set<char> letters;
    for (const Option& option : all_options(verb)) {
      INFO(option.name);
      CHECK(options.insert(option.name).second);
      if (option.letter) CHECK(letters.insert(option.letter).second);
      CHECK_FALSE(option.text.empty());
      CHECK((option.writes || option.name != "output"));  // nothing of a store is replaced
    }
  }
}

TEST_CASE("words are parsed against the table", "[cli][arguments]") {
  const Verb& tune = verb_named("tune");
  const Arguments arguments =
      Arguments::parse(tune, {"a.yaml", "--set", "x=1", "--set=y=--2", "-w4", "--store", "there", "--quiet"});
  CHECK(arguments.words() == std::vector<std::string>{"a.yaml"});
  CHECK(arguments.list("set") == std::vector<std::string>{"x=1", "y=--2"});
  CHECK(arguments.number("workers", 0, 1) == 4);
  CHECK(arguments.store() == "there");
  CHECK(arguments.has("quiet"));
  CHECK_FALSE(arguments.has("help"));
  CHECK(arguments.line() == "dlrun tune a.yaml --set x=1 --set=y=--2 -w4 --store there --quiet");
  CHECK(Arguments::parse(tune, {"--", "--odd.yaml"}).words() == std::vector<std::string>{"--odd.yaml"});
  CHECK(Arguments::parse(tune, {"--help"}).has("help"));
}

TEST_CASE("a number that is none is refused", "[cli][arguments]") {
  for (const char* value : {"0", "-1", "two", "4x", "99999999999999999999"}) {
    INFO(value);
    const Arguments arguments = Arguments::parse(verb_named("tune"), {"a.yaml", std::string("--workers=") + value});
    CHECK_THROWS_AS(arguments.number("workers", 0, 1), Error);
  }
}

TEST_CASE("progress is one line that says how far and how long", "[cli][progress]") {
  driver::Progress progress{.trials_done = 12,
                            .trials_failed = 1,
                            .trials_pruned = 3,
                            .running = 4,
                            .trials_paused = 2,
                            .epochs = 90,
                            .epochs_before = 30,
                            .trials_limit = 24,
                            .best = 0.971234,
                            .best_trial = 7,
                            .seconds = 60};
  const std::string shown = "12/24 trials, 4 running, 2 paused, 3 pruned, 1 failed, best 0.9712 (trial 7), 1 min 0 s";
  CHECK(progress_text(progress, 120) == shown + ", about 30 s left");  // 60 epochs of this run took 60 s
  CHECK(progress_text(progress, 0) == shown);                          // nobody knows how many there will be
  CHECK(progress_text(progress, 80) == shown);                         // more than expected
  progress.epochs_before = 90;
  CHECK(progress_text(progress, 120) == shown);  // resumed, nothing done yet
  CHECK(progress_text({}, 100) == "0 trials, 0.0 s");
  CHECK(duration_text(-1) == "0 s");
  CHECK(duration_text(3725) == "1 h 2 min");
  CHECK(duration_text(200000) == "2 d 7 h");
}

}  // namespace arguments_test
