// SPDX-License-Identifier: Apache-2.0
// Up to which epoch two trials train the same.
#include "spec/prefix.hpp"

#include <fmt/format.h>

#include "spec/stage_forest.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace prefix_test {

using namespace dlrun;

namespace {

std::string rows() {
  std::string text;
  for (int i = 0; i < 64; ++i) text += fmt::format("{},{},{}\n", i % 7, i % 5, i % 2 ? "yes" : "no");
  return text;
}

/// @param trial  what it has beside data and model
spec::StudySpec read(const std::string& trial,
                     const std::string& space = "{x: {type: constant, at: clip_norm, value: 9}}",
                     const std::string& sampler = "random") {
  const support::TempFolder folder;
  const bool is_map = trial.front() == '{';  // of several keys
  const std::string keys = is_map ? trial.substr(1, trial.size() - 2) : trial;
  write_file(folder / "rows.csv", rows());
  write_file(folder / "study.yaml", fmt::format(R"(
study: shared
seed: 3
objective: {{metric: val.accuracy, direction: maximize}}
space: {}
search: {{sampler: {}}}
trial:
  {{data: {{op: csv, path: rows.csv, header: false, target: -1, split: {{train: 0.5, val: 0.25, test: 0.25}}}},
   model: {{nodes: [{{op: linear, out: 4, name: hidden}}, {{op: linear, out: classes}}]}}, {}}}
)",
                                                space, sampler, keys));
  return spec::read({.file = folder / "study.yaml"});
}

spec::Prefix prefix(const std::string& trial, int replicate = 0) {
  return spec::prefix_of(read(trial), {space::Choice{0}}, {trial::TrialId(0), replicate, 0});
}

std::int64_t shared(const std::string& one, const std::string& other) {
  return spec::shared_epochs(prefix(one), prefix(other));
}

/// Ten epochs of four steps.
std::string with_schedule(const std::string& schedule) {
  return "{epochs: 10, batch_size: 8, schedule: " + schedule + "}";
}

}  // namespace

TEST_CASE("warm-ups of lr_scaling span the whole training, so longer ones share nothing", "[spec][stages]") {
  const auto trial = [](int epochs, const char* scaling) {
    return fmt::format("{{epochs: {}, batch_size: 8, accumulate: 2, lr_scaling: {}}}", epochs, scaling);
  };
  CHECK(shared(trial(5, "lena"), trial(10, "lena")) == 0);
  CHECK(shared(trial(5, "{op: sqrt, warmup: fixed}"), trial(10, "{op: sqrt, warmup: fixed}")) == 0);
  CHECK(shared(trial(5, "adascale"), trial(10, "adascale")) == 5);
  CHECK(shared(trial(5, "adascale"), trial(5, "sqrt")) == 0);
}

TEST_CASE("schedules share the epochs in which they do the same", "[spec][stages]") {
  struct Case {
    const char *one, *other;
    std::int64_t epochs;
  };
  const auto c = GENERATE(values<Case>({
      {"{op: multi_step, milestones: [7]}", "{op: multi_step, milestones: [8]}", 7},
      {"{op: multi_step, milestones: [7]}", "{op: multi_step, milestones: [7], gamma: 0.5}", 7},
      {"{op: multi_step, milestones: [3, 9]}", "{op: multi_step, milestones: [3]}", 9},
      {"{op: multi_step, milestones: [7]}", "constant", 7},
      {"{op: step, every: 3}", "{op: step, every: 4}", 3},
      {"{op: step, every: 3, gamma: 0.5}", "{op: multi_step, milestones: [3, 6], gamma: 0.5}", 9},
      {"{op: exponential, gamma: 0.9}", "{op: exponential, gamma: 0.8}", 1},
      {"{op: exponential, gamma: 1}", "constant", 10},
      {"{op: linear, start: 1, end: 1}", "constant", 10},
      {"{op: linear, end: 0.5}", "{op: linear, end: 0.1}", 0},
      {"{op: polynomial, power: 1}", "{op: polynomial, power: 2}", 0},
      {"{op: cosine}", "{op: cosine, min_lr: 0.01}", 0},
      {"{op: cosine_restarts, period: 3}", "{op: cosine_restarts, period: 3, mult: 2}", 3},
      {"{op: cosine_restarts, period: 4, mult: 2}", "{op: cosine_restarts, period: 4}", 4},
      {"{op: one_cycle}", "{op: one_cycle, final_div_factor: 10}", 3},
      {"{op: one_cycle, cycle_momentum: true}, optimizer: adam", "{op: one_cycle}, optimizer: adam", 0},
      {"[{op: constant, epochs: 6}, {op: cosine}]", "[{op: constant, epochs: 6}, {op: linear}]", 6},
      {"[{op: constant, epochs: 6}, {op: cosine}]", "constant", 6},
      {"{op: constant, warmup: 2}", "{op: constant, warmup: 3}", 0},
      {"{op: constant, warmup: 2}", "{op: multi_step, milestones: [5], warmup: 2}", 5},
      {"{op: constant, warmup: 2, warmup_shape: constant, warmup_from: 0.5}",
       "{op: constant, warmup: 4, warmup_shape: constant, warmup_from: 0.5}", 2},
      {"{op: plateau, patience: 2}", "{op: plateau, patience: 4}", 3},
      {"{op: plateau, patience: 2}", "{op: plateau, patience: 2, factor: 0.5}", 3},
      {"{op: plateau, patience: 2}", "constant", 3},
  }));
  INFO(c.one << " and " << c.other);
  CHECK(shared(with_schedule(c.one), with_schedule(c.other)) == c.epochs);
}

TEST_CASE("a longer trial shares what does not depend on its length", "[spec][stages]") {
  CHECK(shared("epochs: 6", "epochs: 10") == 6);
  CHECK(shared("{epochs: 6, schedule: {op: step, every: 4}}", "{epochs: 10, schedule: {op: step, every: 4}}") == 6);
  CHECK(shared("{epochs: 6, batch_size: 8, schedule: cosine}", "{epochs: 10, batch_size: 8, schedule: cosine}") == 0);
  CHECK(shared("{epochs: 6, horizon: 20, schedule: cosine}", "{epochs: 10, horizon: 20, schedule: cosine}") == 6);
  CHECK(shared("{epochs: 6, horizon: 10, schedule: cosine}", "{epochs: 10, schedule: cosine}") == 6);
  CHECK(shared("{epochs: 6, horizon: 20, batch_size: 8, schedule: cosine}",
               "{epochs: 6, horizon: 24, batch_size: 8, schedule: cosine}") == 0);
}

TEST_CASE("what matters from the first step on leaves nothing to share", "[spec][stages]") {
  const std::string base = "epochs: 10, optimizer: {op: sgd, lr: 0.1, momentum: 0.9}";
  const auto other =
      GENERATE(as<std::string>(), "optimizer: {op: sgd, lr: 0.2, momentum: 0.9}",
               "optimizer: {op: sgd, lr: 0.1, momentum: 0.8}", "optimizer: adam", "batch_size: 16", "accumulate: 2",
               "loss: {op: cross_entropy, label_smoothing: 0.1}", "clip_value: 2", "ema: {decay: 0.9}",
               "stop: {patience: 3}", "metrics: [accuracy, f1]", "precision: bf16", "first_replicate: 2");
  INFO(other);
  const bool has_optimizer = other.find("optimizer") == 0;
  const std::string changed = has_optimizer ? "epochs: 10, " + other : base + ", " + other;
  CHECK(shared("{" + base + "}", "{" + changed + "}") == 0);
  CHECK(shared("{" + changed + "}", "{" + changed + "}") == 10);
}

TEST_CASE("what is only watched is no difference", "[spec][stages]") {
  CHECK(shared("epochs: 10", "{epochs: 10, log: {every: 2}}") == 10);
}

TEST_CASE("averaging weights counts from the epoch at which it begins", "[spec][stages]") {
  const auto averaged = [](const std::string& swa) { return "{epochs: 10, swa: {" + swa + "}}"; };
  CHECK(shared(averaged("start: 0.5"), averaged("start: 0.7")) == 5);
  CHECK(shared(averaged("start: 0.5"), "epochs: 10") == 5);
  CHECK(shared(averaged("start: 0.5"), averaged("start: 0.5, every: 2")) == 6);
  CHECK(shared(averaged("start: 0.6, lr: 0.01"), averaged("start: 0.6, lr: 0.02")) == 6);
}

TEST_CASE("replicates share nothing, and so do trials with the weights of others", "[spec][stages]") {
  CHECK(spec::shared_epochs(prefix("epochs: 10", 1), prefix("epochs: 10", 0)) == 0);
  CHECK(spec::shared_epochs(prefix("epochs: 10", 1), prefix("epochs: 10", 1)) == 10);
}

TEST_CASE("a grid is a tree of stages", "[spec][stages]") {
  const auto forest = [](const std::string& trial, const std::string& space) {
    const auto spec = read(trial, space, "grid");
    return spec::stage_forest(spec, spec::planned_trials(spec));
  };
  SECTION("a branch for every value of what comes late") {
    const auto found = forest("{epochs: 10, schedule: {op: multi_step, milestones: [7]}}",
                              "{gamma: {at: schedule.gamma, type: float, low: 0.02, high: 0.48, step: 0.02}}");
    CHECK(found.alone == 24 * 10);
    CHECK(found.together == 7 + 24 * 3);
    CHECK(found.times_fewer() == Approx(240.0 / 79));
    REQUIRE(found.stages.size() == 25);
    CHECK(found.stages[0].to == 7);
    CHECK(found.stages[0].members.size() == 24);
    CHECK(found.stages[24].members == std::vector<std::size_t>{23});
    CHECK(found.stages[24].is_end);
  }
  SECTION("branches of branches") {  // drops after 7, 8 or 9 epochs, each by three factors
    const auto found = forest("{epochs: 10, schedule: {op: step}}",
                              "{every: {at: schedule.every, type: int, low: 7, high: 9},"
                              " gamma: {at: schedule.gamma, choices: [0.1, 0.2, 0.3]}}");
    CHECK(found.together == 7 + 3 * 3 + 1 + 3 * 2 + 1 + 3 * 1);
    CHECK(found.stages[4].from == 7);
    CHECK(found.stages[4].members == std::vector<std::size_t>{3, 4, 5, 6, 7, 8});
    CHECK(found.stages[4].depth == 1);
  }
  SECTION("nothing in common") {
    const auto found = forest("epochs: 10", "{lr: {at: optimizer.lr, choices: [0.1, 0.2]}}");
    CHECK(found.together == found.alone);
  }
}

TEST_CASE("only a grid is known before it starts", "[spec][stages]") {
  CHECK(spec::planned_trials(read("epochs: 10", "{lr: {at: optimizer.lr, choices: [0.1, 0.2]}}", "random")).empty());
}

TEST_CASE("a trial that is the beginning of another one adds nothing", "[spec][stages]") {
  const auto forest = spec::stage_forest({prefix("epochs: 6"), prefix("epochs: 10"), {}}, 10);
  CHECK(forest.alone == 26);
  CHECK(forest.together == 20);
  CHECK(forest.stages.size() == 2);
}

}  // namespace prefix_test
