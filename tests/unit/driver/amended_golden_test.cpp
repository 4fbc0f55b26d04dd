// SPDX-License-Identifier: Apache-2.0
// Changes of a study's file, one at a time: whether each is an amendment, and what it changes, against
// tests/golden/amended.txt. DLRUN_APPROVE=1 writes the file anew.
#include <fmt/format.h>

#include <regex>

#include "around.hpp"
#include "driver/amending.hpp"
#include "driver/settled.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "util/error.hpp"

namespace amended_golden_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

constexpr const char* kStudy = R"(study: first
seed: 1
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 0, high: 1}
  lr: {type: float, low: 0.001, high: 1, scale: log}
  n: {type: int, low: 1, high: 9}
  opt: {type: categorical, choices: [sgd, adam, lion]}
  mom: {type: float, low: 0, high: 0.9, when: {opt: [sgd, lion]}}
  size: {type: ordinal, choices: [16, 32, 64]}
search: {sampler: random, lanes: 4, pruner: {op: asha, eta: 3}}
limits: {trials: 4}
trial: {kind: command, command: ["true"], epochs: 9}
)";

struct Change {
  const char* old;
  const char* now;
  std::map<std::string, std::string> defaults = {};
};

const std::vector<Change>& all_changes() {
  static const std::vector<Change> all{
      {"seed: 1", "seed: 1"},
      {"seed: 1", "seed: 2"},
      {"minimize}", "maximize}"},
      {"metric: value", "metric: loss"},
      {"seed: 1\n", "seed: 1\nfeasible: [{metric: cost, max: 3}]\n"},
      {"seed: 1\n", "seed: 1\ndescription: words\n"},
      {"seed: 1\n", "seed: 1\ndeterminism: portable\n"},
      {"seed: 1\n", "seed: 1\nkeep: {best: 1}\nretry: {nan: 2}\nresources: {threads_per_trial: 1, log_mb: 1}\n"},
      {"high: 1}", "high: 2}"},
      {"high: 1}", "high: 0.5}"},
      {"scale: log", "scale: linear"},
      {"low: 1, high: 9", "low: 2, high: 7"},
      {"type: int, low: 1", "type: float, low: 1"},
      {"low: 0, high: 1}", "low: 0, high: 1, at: y}"},
      {"  x: {type: float, low: 0, high: 1}\n", ""},
      {"  x: {type: float, low: 0, high: 1}\n", "  x: {type: constant, value: 0.5}\n"},
      {"[sgd, adam, lion]", "[lion, adam, sgd]"},
      {"[sgd, adam, lion]", "[sgd, adam, lion, nadam]"},
      {"[sgd, adam, lion]", "[sgd, lion]"},
      {"[sgd, adam, lion]}\n  mom: {type: float, low: 0, high: 0.9, when: {opt: [sgd, lion]}}",
       "[sgd, adam]}\n  mom: {type: float, low: 0, high: 0.9, when: {opt: [sgd]}}"},
      {"[sgd, adam, lion]}\n  mom: {type: float, low: 0, high: 0.9, when: {opt: [sgd, lion]}}", "[adam, radam]}"},
      {"[sgd, adam, lion]}\n  mom: {type: float, low: 0, high: 0.9, when: {opt: [sgd, lion]}}",
       "[sgd, lion]}\n  mom: {type: float, low: 0, high: 0.9}"},
      {"when: {opt: [sgd, lion]}", "when: {opt: [sgd]}"},
      {", when: {opt: [sgd, lion]}", ""},
      {"[16, 32, 64]", "[16, 32, 64, 128]"},
      {"[16, 32, 64]", "[8, 16, 32, 64]"},
      {"[16, 32, 64]", "[64, 32, 16]"},
      {"[16, 32, 64]", "[32, 64]"},
      {"  x: {", "  y: {type: int, low: 1, high: 4}\n  x: {"},
      {"  x: {", "  y: {type: int, low: 1, high: 4}\n  x: {", {{"y", "3"}}},
      {"  x: {", "  y: {type: int, low: 1, high: 4}\n  x: {", {{"y", "7"}}},
      {"  x: {", "  y: {type: int, low: 1, high: 4}\n  x: {", {{"y", "a"}}},
      {"  x: {", "  y: {type: int, low: 1, high: 4}\n  x: {", {{"yy", "3"}}},
      {"  x: {", "  act: {type: categorical, choices: [relu, gelu]}\n  x: {", {{"act", "gelu"}}},
      {"  x: {", "  act: {type: categorical, choices: [relu, gelu]}\n  x: {", {{"act", "tanh"}}},
      {"  x: {", "  x: {", {{"x", "3"}}},
      {"sampler: random", "sampler: tpe"},
      {"lanes: 4", "lanes: 8, slack: 0.2, stagger: false"},
      {"lanes: 4", "lanes: 4, order: arrival"},
      {"lanes: 4", "lanes: 4, enqueue: [{x: 0.5}]"},
      {"lanes: 4", "lanes: 4, learn_from: [other]"},
      {"eta: 3", "eta: 2"},
      {", pruner: {op: asha, eta: 3}", ""},
      {"{op: asha, eta: 3}", "{op: median}"},
      {"trials: 4", "trials: 9, epochs: 90, target: 0.1, stall: 7, failures: 2"},
      {"trials: 4", "trials: 4, wall: 1h"},
      {"\"true\"", "\"false\""},
      {"epochs: 9", "epochs: 27"},
      {"trials: 4}\n", "trials: 4}\nconstraints: [\"x <= lr\"]\n"},
      {"trials: 4}\n", "trials: 4}\nconstraints: [{forbid: {opt: [adam], size: [16]}}]\n"},
  };
  return all;
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

/// The study with as many trials as there are lanes.
study::Study decided(const spec::StudySpec& spec) {
  study::Study study = support::study_of(spec);
  study.decide();
  return study;
}

std::string amended(const spec::StudySpec& before, const spec::StudySpec& file, const Change& change) {
  const Settled now = settled(before.json, file.json);
  if (!now.refusals.empty()) return "  refused\n" + lines_of(now.refusals);
  const spec::StudySpec spec = spec::from_json(now.spec, file.text);
  const Amending amending = make_amending(before, spec, 1, change.defaults);
  const study::Amendment& to = *amending.event.to;
  return fmt::format("  amended; {} sampler, {} pruner\n", to.sampler.value_or("old"), to.pruner ? "new" : "old") +
         lines_of(describe(amending, decided(before)));
}

std::string outcome(const Change& change) {
  std::string text = kStudy;
  const std::size_t at = text.find(change.old);
  REQUIRE(at != std::string::npos);
  text.replace(at, std::string(change.old).size(), change.now);
  try {
    return amended(support::spec_from(kStudy), support::spec_from(text), change);
  } catch (const Error& fault) {
    const std::string text = fmt::format("  {}: {}\n    {}\n", int(fault.kind()), fault.what(), fault.hint());
    return std::regex_replace(text, std::regex("[^ ]*/study.yaml"), "study.yaml");
  }
}

}  // namespace

TEST_CASE("every change of a study's file is an amendment, or refused, as it was", "[driver][amend][golden]") {
  std::string text;
  for (const Change& change : all_changes()) {
    text += fmt::format("{} -> {}\n", change.old, change.now);
    for (const auto& [name, value] : change.defaults) text += fmt::format("  --default {}={}\n", name, value);
    text += outcome(change);
  }
  CHECK(text == support::golden(DLRUN_SOURCE_DIR "/tests/golden/amended.txt", text));
}

}  // namespace amended_golden_test
