// SPDX-License-Identifier: Apache-2.0
// `final.warm_start.race`: which races are refused, and where.
#include "unit/spec/study_file.hpp"

namespace warm_race_test {

using namespace dlrun;
using namespace dlrun::spec;

namespace {

std::string with_final(const std::string& keys, const std::string& rest = "epochs: 12") {
  return std::string(kTrees) + "final: {" + rest + ", warm_start: {policy: race" + (keys.empty() ? "" : ", ") + keys +
         "}}\n";
}

std::string fault(const std::string& race) { return StudyFile(with_final("race: {" + race + "}")).errors(); }

}  // namespace

TEST_CASE("a race has settings of its own and the usual ones", "[spec][warm_start][race]") {
  const StudySpec spec = StudyFile(with_final("")).read();
  CHECK(spec.json["final"]["warm_start"]["race"]["seeds"] == 2);
  CHECK(spec.json["final"]["warm_start"]["race"]["arms"].is_null());
  CHECK(spec.hash == StudyFile(kTrees).read().hash);
  const StudySpec named =
      StudyFile(with_final("lambda: 0.5, race: {arms: [none, finish, shrink_perturb], epochs: 2}")).read();
  CHECK(named.json["final"]["warm_start"]["race"]["arms"].size() == 3);
  CHECK_FALSE(
      StudyFile(std::string(kTrees) + "final: {epochs: 12}\n").read().json["final"]["warm_start"].contains("race"));
}

TEST_CASE("arms are few and known, and fresh weights are one", "[spec][warm_start][race]") {
  CHECK_THAT(fault("arms: [none, shrink_pertub]"), Contains("there is no start 'shrink_pertub' to race"));
  CHECK_THAT(fault("arms: [none, shrink_pertub]"), Contains("did you mean 'shrink_perturb'?"));
  CHECK_THAT(fault("arms: [none, best, best]"), Contains("'best' is named twice"));
  CHECK_THAT(fault("arms: [best, shrink_perturb]"), Contains("fresh weights are not among the arms"));
  CHECK_THAT(fault("arms: [none]"), Contains("fresh weights alone are no race"));
  CHECK_THAT(fault("arms: []"), Contains("fresh weights are not among the arms"));
  CHECK_THAT(fault("arms: [none, best, finish, shrink_perturb]"), Contains("a race has 3 arms at most, not 4"));
  CHECK_THAT(fault("arms: [none, partial]"), Contains("there is no start 'partial' to race"));
}

TEST_CASE("a race is shorter than what it decides", "[spec][warm_start][race]") {
  CHECK_THAT(fault("epochs: 12"), Contains("an arm would train 12 of 12 epochs"));
  CHECK_NOTHROW(StudyFile(with_final("race: {epochs: 11}")).read());
  CHECK_THAT(fault("seeds: 1"), Contains("from 2"));
}

// An arm's study was refused after the search, at places that nobody had written.
TEST_CASE("whatever schedule a trial has, arms of a quarter of it can train", "[spec][warm_start][race]") {
  const char* const written =
      GENERATE("swa: {start: 0.75}", "swa: {start: 0.75, lr: 0.01}", "swa: {start: 0.5, every: 4}", "schedule: plateau",
               "schedule: {op: plateau, patience: 11}", "stop: {patience: 11}", "log: {every: 10}",
               "schedule: exponential", "schedule: {op: step, gamma: 0.5}",
               "schedule: {op: multi_step, milestones: [3, 6, 9]}", "schedule: {op: cosine_restarts}",
               "schedule: {op: cosine, warmup: 4}", "schedule: [{op: linear, epochs: 6}, cosine]");
  CAPTURE(written);
  const std::string study = std::string(kTrees) + "  epochs: 12\n  batch_size: 8\n  " + written + "\n";
  CHECK(StudyFile(study + "final: {warm_start: {policy: race}}\n").errors().empty());
  CHECK(StudyFile(study + "final: {warm_start: {policy: race, race: {epochs: 2}}}\n").errors().empty());
}

TEST_CASE("an arm that is too short for the trial's settings is refused before the search",
          "[spec][warm_start][race]") {
  const std::string study = std::string(kTrees) +
                            "  epochs: 12\n  schedule: [{op: linear, epochs: 3}, {op: step, epochs: 3}, {op: constant, "
                            "epochs: 3}, cosine]\n";
  CHECK(StudyFile(study + "final: {warm_start: {policy: best}}\n").errors().empty());
  CHECK_THAT(StudyFile(study + "final: {warm_start: {policy: race}}\n").errors(),
             Contains("in an arm of the race, which has 3 epochs") && Contains("policy: race"));
}

// A race keeps no checkpoint of a single epoch, and was refused for those that the search keeps.
TEST_CASE("epochs that the search keeps are none of a shorter training", "[spec][warm_start][race]") {
  const std::string study = std::string(kTrees) + "  epochs: 12\nkeep: {epochs: [12]}\n";
  CHECK(StudyFile(study + "final: {warm_start: {policy: race}}\n").errors().empty());
  CHECK(StudyFile(study + "final: {epochs: 3}\n").errors().empty());
}

TEST_CASE("what no race makes use of is refused", "[spec][warm_start][race]") {
  CHECK_THAT(StudyFile(with_final("exclude: [head]")).errors(), Contains("'race' makes no use of 'exclude'"));
  CHECK_THAT(StudyFile(with_final("optimizer: carry")).errors(), Contains("'race' makes no use of 'optimizer'"));
  CHECK_THAT(StudyFile(with_final("lambda: 0.5, race: {arms: [none, best]}")).errors(),
             Contains("no arm of the race makes use of 'lambda'"));
  CHECK_THAT(StudyFile(with_final("k: 4")).errors(), Contains("'race' makes no use of 'k'"));
  CHECK_NOTHROW(StudyFile(with_final("k: 4, race: {arms: [none, greedy_soup]}")).read());
  CHECK_THAT(StudyFile(std::string(kTrees) + "final: {warm_start: {policy: best, race: {seeds: 3}}}\n").errors(),
             Contains("'best' makes no use of 'race'"));
  CHECK_THAT(fault("chose: best"), Contains("dlrun writes it, when the race is over"));
}

TEST_CASE("arms that every run would be refused for are refused before the search", "[spec][warm_start][race]") {
  const auto set_fault = [&](const std::string& arms) {
    return StudyFile(with_final("race: {arms: [" + arms + "]}", "epochs: 12, set: {optimizer: {op: adam}}")).errors();
  };
  CHECK_THAT(set_fault("none, finish"), Contains("E403"));
  CHECK_THAT(set_fault("none, resume"), Contains("E403"));
  CHECK(set_fault("none, best").empty());
}

TEST_CASE("a program races two starts", "[spec][warm_start][race][command]") {
  const std::string program = R"(study: s
objective: {metric: loss, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
limits: {trials: 2}
trial:
  kind: command
  command: [echo, "{x}", "{epochs}"]
  epochs: 3
)";
  CHECK_NOTHROW(StudyFile(program + "final: {epochs: 9, warm_start: {policy: race}}\n").read());
  CHECK_THAT(
      StudyFile(program + "final: {epochs: 9, warm_start: {policy: race, race: {arms: [none, resume]}}}\n").errors(),
      Contains("there is no start 'resume' to race"));
  CHECK_THAT(StudyFile(program + "final: {epochs: 9, warm_start: {race: {seeds: 3}}}\n").errors(),
             Contains("makes no use of 'race'"));
}

TEST_CASE("fresh weights may be shrunk without a donor", "[spec][warm_start]") {
  const auto trial = [](const std::string& start) {
    std::string text = kTrees;
    return text.insert(text.find("trial:\n") + 7, "  warm_start: {" + start + "}\n");
  };
  const StudySpec spec = StudyFile(trial("policy: fresh_shrunk, lambda: 0.3")).read();
  CHECK(spec.json["trial"]["warm_start"]["lambda"] == 0.3);
  CHECK_FALSE(spec.json["trial"]["warm_start"].contains("donors"));
  CHECK_THAT(StudyFile(trial("policy: fresh_shrunk, donors: [{sha256: " + std::string(64, 'a') + "}]")).errors(),
             Contains("'fresh_shrunk' takes no donor"));
  CHECK_THAT(StudyFile(trial("policy: fresh_shrunk, optimizer: carry")).errors(),
             Contains("'fresh_shrunk' makes no use of 'optimizer'"));
  CHECK_NOTHROW(StudyFile(std::string(kTrees) + "final: {seeds: 3, compare: [fresh_shrunk, finish]}\n").read());
}

}  // namespace warm_race_test
