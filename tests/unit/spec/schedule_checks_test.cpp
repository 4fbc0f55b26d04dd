// SPDX-License-Identifier: Apache-2.0
// Schedules that do not do what their words say.
#include "study_file.hpp"

namespace schedule_checks_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

/// A study with a rate of 0.01.
std::string study(const std::string& trial) {
  std::string text = kTrees;
  text.erase(text.find("  lr: {at"), text.find("  width:") - text.find("  lr: {at"));
  return text + "  epochs: 5\n  optimizer: {op: sgd, lr: 0.01, momentum: 0.9}\n" + trial;
}

std::string errors(const std::string& trial) { return StudyFile(study(trial)).errors(); }

}  // namespace

TEST_CASE("a least rate above the rate is refused", "[spec][schedule]") {
  CHECK_THAT(errors("  schedule: {op: cosine, min_lr: 1}\n"), Contains("min_lr is above lr, so that the rate rises"));
  CHECK_THAT(errors("  schedule: {op: plateau, min_lr: 1, patience: 1}\n"), Contains("so that the rate never falls"));
  CHECK_THAT(errors("  schedule: {op: sequence, parts: [{op: constant, epochs: 2}, {op: polynomial, min_lr: 0.02}]}\n"),
             Contains("min_lr is above lr"));
  CHECK(errors("  schedule: {op: cosine, min_lr: 0.01}\n").empty());
}

TEST_CASE("a least rate within the rates of a search gets a warning", "[spec][schedule]") {
  const std::string text = std::string(kTrees) + "  epochs: 5\n  schedule: {op: cosine, min_lr: ";  // lr: 1e-4 to 0.1
  CHECK_THAT(StudyFile(text + "0.001}\n").warnings(), Contains("min_lr is above lr in some trials"));
  CHECK(StudyFile(text + "1e-5}\n").warnings().find("min_lr") == std::string::npos);
}

TEST_CASE("a least momentum above the greatest is refused", "[spec][schedule]") {
  CHECK_THAT(errors("  schedule: {op: one_cycle, cycle_momentum: true, base_momentum: 0.99}\n"),
             Contains("base_momentum 0.99 is above max_momentum 0.95"));
  CHECK_THAT(errors("  schedule: {op: one_cycle, cycle_momentum: true, max_momentum: 0.5}\n"),
             Contains("is above max_momentum 0.5"));
  CHECK(errors("  schedule: {op: one_cycle, cycle_momentum: true, base_momentum: 0.9}\n").empty());
}

TEST_CASE("a warm-up that the schedule does not meet gets a warning", "[spec][schedule]") {
  const auto warnings = [](const std::string& trial) { return StudyFile(study(trial)).warnings(); };
  CHECK_THAT(warnings("  schedule: {op: linear, start: 0.2, end: 0.2, warmup: 1}\n"),
             Contains("it leads to lr itself, and the schedule goes on with 0.2 times lr at once"));
  CHECK_THAT(warnings("  schedule: {op: exponential, gamma: 0.5, warmup: 3}\n"), Contains("with 0.125 times lr"));
  CHECK_THAT(warnings("  schedule: {op: multi_step, milestones: [1], warmup: 2}\n"), Contains("with 0.1 times lr"));
  CHECK_THAT(warnings("  schedule: {op: cosine, warmup: 0.01}\n"), Contains("there is no warm-up: 0.01 epochs of"));
  for (const char* sound : {"{op: cosine, warmup: 1}", "{op: step, every: 2, warmup: 1}", "{op: constant, warmup: 1}",
                            "{op: polynomial, warmup: 1}", "{op: linear, start: 1, end: 0.1, warmup: 1}"})
    CHECK(warnings(std::string("  schedule: ") + sound + "\n").empty());
}

TEST_CASE("drops that swa.lr leaves out get a warning", "[spec][schedule]") {
  const auto warnings = [](const std::string& trial) { return StudyFile(study(trial)).warnings(); };
  CHECK_THAT(warnings("  swa: {start: 0.4, lr: 0.1}\n  schedule: {op: multi_step, milestones: [3]}\n"),
             Contains("the drop after 3 epochs never comes, for swa.lr holds from epoch 3 on"));
  CHECK_THAT(warnings("  swa: {start: 0.2, lr: 0.1}\n  schedule: {op: plateau, patience: 2}\n"),
             Contains("a patience of 2 never runs out, for swa.lr holds from epoch 2 on"));
  CHECK(warnings("  swa: {start: 0.4, lr: 0.1}\n  schedule: {op: multi_step, milestones: [2]}\n").empty());
  CHECK(warnings("  swa: {start: 0.4}\n  schedule: {op: multi_step, milestones: [3]}\n").empty());
}

}  // namespace schedule_checks_test
