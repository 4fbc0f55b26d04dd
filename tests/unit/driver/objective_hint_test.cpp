// SPDX-License-Identifier: Apache-2.0
#include "driver/objective_hint.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace objective_hint_test {

using namespace dlrun;
using driver::ObjectiveHint;
using Texts = std::vector<std::string>;

namespace {

spec::StudySpec programs() {
  return support::spec_from(
      "study: s\nobjective: {metric: val.acc}\nspace: {x: {type: float, low: 0, high: 1}}\n"
      "trial: {kind: command, command: [/bin/true], epochs: 9}\n");
}

/// Lines to people while trials 0, 1, … report, each with the names of its metrics by step.
Texts told(const spec::StudySpec& spec, const std::vector<std::vector<std::pair<int, std::string>>>& trials) {
  const study::Study study = support::study_of(spec);
  support::Lines display;
  ObjectiveHint hint(spec, study, display);
  for (std::size_t trial = 0; trial < trials.size(); ++trial) {
    for (const auto& [step, name] : trials[trial])
      hint.see({trial::TrialId(std::int64_t(trial)), 0, 0}, {step, {{name, 0.5}}});
  }
  return display.all;
}

}  // namespace

TEST_CASE("a program that reports other metrics than the objective is told of at its second step", "[driver][hint]") {
  CHECK(told(programs(), {{{1, "val_acc"}, {1, "loss"}, {2, "loss"}, {3, "loss"}}, {{1, "loss"}, {2, "loss"}}}) ==
        Texts{"trial 0 reports 'loss', 'val_acc', but so far not the objective 'val.acc'; if that is misspelt, every "
              "trial fails at its end"});
}

TEST_CASE("who reports the objective, also after other metrics, is not told of", "[driver][hint]") {
  CHECK(told(programs(), {{{1, "loss"}, {1, "val.acc"}, {2, "loss"}}, {{1, "loss"}, {2, "loss"}}}).empty());
  CHECK(told(programs(), {{{1, "loss"}}, {{1, "loss"}}}).empty());
}

TEST_CASE("what dlrun computes reports what it promised", "[driver][hint]") {
  const support::TempFolder folder;
  CHECK(told(support::small_spec(folder), {{{1, "loss"}, {2, "loss"}}}).empty());
}

}  // namespace objective_hint_test
