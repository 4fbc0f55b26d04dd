// SPDX-License-Identifier: Apache-2.0
// Each kind has its own defaults where a parameter chooses it; an ablation that sets it changes nothing else.
#include "spec/kinds.hpp"

#include "ablation/plan.hpp"
#include "parallel/gang.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/parallel.hpp"
#include "recipe/schedule.hpp"
#include "trial/runner.hpp"
#include "unit/spec/study_file.hpp"

namespace spec_kinds_test {

using namespace dlrun;

namespace {

/// A study of trees, with text for its space and its trial.
std::string study(const std::string& space, const std::string& trial) {
  return "study: kinds\nobjective: {metric: val.accuracy}\n" + space +
         "trial:\n"
         "  data: {op: csv, path: trees.csv, target: kind}\n"
         "  model: {nodes: [{name: fc1, op: linear, out: 8}, {name: head, op: linear, out: classes, role: head}]}\n" +
         trial;
}

/// A study in which one parameter chooses the kind of `section`.
spec::StudySpec searching(const std::string& section, const std::string& kinds, const std::string& written) {
  return spec::StudyFile(study("space: {kind: {at: " + section + ".op, type: categorical, choices: " + kinds + "}}\n",
                               "  " + section + ": " + written + "\n"))
      .read();
}

spec::StudySpec ablating_by(const std::string& component, const std::string& section, const std::string& written) {
  const std::string text =
      study("", "  " + section + ": " + written + "\n") + "ablation: {components: [{id: kind, " + component + "}]}\n";
  const spec::StudyFile file(text, "ablated");
  return spec::read({.file = file.folder / "study.yaml", .ablation = spec::Ablation::allowed});
}

/// An ablation by which the section has another kind.
spec::StudySpec ablating(const std::string& section, const std::string& kind, const std::string& written) {
  return ablating_by("set: {" + section + ".op: " + kind + "}", section, written);
}

/// An ablation by which another section stands in its place.
spec::StudySpec swapping(const std::string& section, const std::string& other, const std::string& written) {
  return ablating_by("swap: " + section + ", to: " + other, section, written);
}

/// The trial that has this kind.
Json chosen(const spec::StudySpec& spec, const std::string& section, const char* kind) {
  return trial::configured(spec.json.at("trial"), {{section + ".op", kind}});
}

Json without_kind(const spec::StudySpec& spec) {
  return trial::configured(spec.json.at("trial"), spec.ablation.value().variants.back().edits);
}

std::vector<std::string> notes(const spec::StudySpec& spec) { return spec.ablation.value().variants.back().notes; }

template <class Method>
Method method(const Json& trial) {
  return std::get<Method>(recipe::read_parallel(trial).value().gang.method);
}

recipe::OptimizerConfig optimizer(const spec::StudySpec& spec, const char* kind) {
  return recipe::read_optimizer(chosen(spec, "optimizer", kind));
}

}  // namespace

// docs/parallel.md has these.
TEST_CASE("methods that are searched average after their own number of steps", "[spec][kinds]") {
  const auto spec = searching("parallel", "[easgd, diloco, local_sgd]", "{op: easgd, ranks: 2}");
  CHECK(method<parallel::Easgd>(chosen(spec, "parallel", "easgd")).period == 8);
  CHECK(method<parallel::DiLoCo>(chosen(spec, "parallel", "diloco")).period == 20);
  CHECK(method<parallel::LocalSgd>(chosen(spec, "parallel", "local_sgd")).period == 8);
}

TEST_CASE("a period that is written holds for every method that is searched", "[spec][kinds]") {
  for (const char* period : {"8", "5"}) {
    const auto spec =
        searching("parallel", "[easgd, diloco]", std::string("{op: easgd, ranks: 2, period: ") + period + "}");
    CHECK(std::to_string(method<parallel::DiLoCo>(chosen(spec, "parallel", "diloco")).period) == period);
    CHECK(std::to_string(method<parallel::Easgd>(chosen(spec, "parallel", "easgd")).period) == period);
  }
}

TEST_CASE("searched methods keep the momentum where each of them does by itself", "[spec][kinds]") {
  const auto spec = searching("parallel", "[bsp, asp, ssp]", "{op: bsp, ranks: 2}");
  CHECK(method<parallel::Bsp>(chosen(spec, "parallel", "bsp")).momentum == "server");
  CHECK(method<parallel::Asp>(chosen(spec, "parallel", "asp")).momentum == "worker");
  CHECK(method<parallel::Ssp>(chosen(spec, "parallel", "ssp")).momentum == "worker");
}

// Constants of AdamW, Adam and Muon are torch.optim's (2.11), those of Lion Chen et al.'s (2023).
TEST_CASE("searched optimisers have the constants of their papers", "[spec][kinds]") {
  const auto spec = searching("optimizer", "[sgd, adam, adamw, lion, muon]", "{op: sgd}");
  CHECK(optimizer(spec, "adam").weight_decay == 0);
  CHECK(optimizer(spec, "adamw").weight_decay == 0.01);
  CHECK(optimizer(spec, "adam").lr == 0.001);
  CHECK(optimizer(spec, "muon").weight_decay == 0.1);
  CHECK(std::get<recipe::Sgd>(optimizer(spec, "sgd").method).momentum == 0);
  CHECK(std::get<recipe::Muon>(optimizer(spec, "muon").method).momentum == 0.95);
  CHECK(std::get<recipe::Adam>(optimizer(spec, "adam").method).betas == recipe::Betas{0.9, 0.999});
  CHECK(std::get<recipe::Lion>(optimizer(spec, "lion").method).betas == recipe::Betas{0.9, 0.99});
}

TEST_CASE("a variant that sets a kind keeps the base's other defaults, and says which", "[spec][kinds][ablation]") {
  const auto spec = ablating("optimizer", "lion", "{op: adam, lr: 0.5, weight_decay: 0}");
  const auto lion = recipe::read_optimizer(without_kind(spec));
  CHECK(std::get<recipe::Lion>(lion.method).betas == recipe::Betas{0.9, 0.999});
  CHECK(lion.lr == 0.5);
  CHECK(notes(spec) == std::vector<std::string>{"optimizer.betas stays [0.9,0.999] (lion's own: [0.9,0.99])"});
}

TEST_CASE("a variant that swaps a section has the other kind's own defaults", "[spec][kinds][ablation]") {
  const auto lion =
      recipe::read_optimizer(without_kind(swapping("optimizer", "{op: lion, lr: 0.5}", "{op: adam, lr: 0.5}")));
  CHECK(std::get<recipe::Lion>(lion.method).betas == recipe::Betas{0.9, 0.99});
}

TEST_CASE("a variant's kind takes what the base has written without a word", "[spec][kinds][ablation]") {
  const auto spec = ablating("parallel", "diloco", "{op: easgd, ranks: 2, period: 8}");
  CHECK(method<parallel::DiLoCo>(without_kind(spec)).period == 8);
  CHECK(notes(spec).empty());
}

}  // namespace spec_kinds_test
