// SPDX-License-Identifier: Apache-2.0
// Which changes of a study's file are an amendment, and what they become.
#include "driver/amending.hpp"

#include "driver/settled.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace amending_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

constexpr const char* kStudy = R"(study: first
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 0, high: 1}
  opt: {type: categorical, choices: [sgd, adam, lion]}
  mom: {type: float, low: 0, high: 0.9, when: {opt: sgd}}
  size: {type: ordinal, choices: [16, 32]}
search: {sampler: random, pruner: {op: asha, eta: 3}}
limits: {trials: 4}
trial: {kind: command, command: ["true"], epochs: 9}
)";

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  REQUIRE(text.find(old) != std::string::npos);
  return text.replace(text.find(old), old.size(), now);
}

spec::StudySpec read(const std::string& text) {
  const support::TempFolder folder;
  write_file(folder / "study.yaml", text);
  spec::Source source;
  source.file = folder / "study.yaml";
  return spec::read(source);
}

std::vector<std::string> refusals(const std::string& old, const std::string& now) {
  return settled(read(kStudy).json, read(replaced(kStudy, old, now)).json).refusals;
}

}  // namespace

TEST_CASE("choices and parameters keep their numbers", "[driver][amend]") {
  const spec::StudySpec before = read(kStudy);
  std::string text = replaced(kStudy, "[sgd, adam, lion]", "[lion, nadam, sgd]");
  text = replaced(text, "  x: {", "  y: {type: int, low: 1, high: 4}\n  x: {");
  const spec::StudySpec file = read(text);
  const Settled now = settled(before.json, file.json);
  CHECK(now.refusals.empty());
  const spec::StudySpec spec = spec::from_json(now.spec, file.text);
  CHECK(spec.space.parameters()[1].choices == std::vector<Json>{"sgd", "adam", "lion", "nadam"});
  CHECK(spec.space.parameters()[4].name == "y");
  CHECK(changes(before, spec) ==
        std::vector<std::string>{"space.opt: one of sgd, adam, lion -> one of sgd, lion, nadam",
                                 "space.y: new, int 1 to 4"});
  SECTION("the same file settles to the same") {
    CHECK(settled(now.spec, file.json).spec == now.spec);
    CHECK(spec::from_json(settled(now.spec, file.json).spec, file.text).hash == spec.hash);
  }
  SECTION("what was taken away is no value for new trials, and one for old ones") {
    const space::Choice adam{1}, nadam{3};
    CHECK_FALSE(spec.space.contains({0.5, adam, std::monostate(), space::Choice{0}, std::int64_t(1)}));
    CHECK(spec.space.contains({0.5, nadam, std::monostate(), space::Choice{0}, std::int64_t(1)}));
    CHECK(spec.space.params({0.5, adam, std::monostate(), space::Choice{0}, std::int64_t(1)})["opt"] == "adam");
  }
  SECTION("and comes back with its old number") {
    const Settled back = settled(now.spec, read(replaced(text, "nadam", "adam")).json);
    const spec::StudySpec again = spec::from_json(back.spec, "");
    CHECK(again.space.parameters()[1].choices == spec.space.parameters()[1].choices);
    CHECK(changes(spec, again) ==
          std::vector<std::string>{"space.opt: one of sgd, lion, nadam -> one of sgd, adam, lion"});
  }
  SECTION("what trials so far had of a new parameter has to be said") {
    CHECK_THROWS_WITH(defaults_of(before, spec, {}), Contains("space.y is new"));
    CHECK_THROWS_WITH(defaults_of(before, spec, {{"z", "1"}, {"y", "2"}}), Contains("no new parameter 'z'"));
    CHECK(defaults_of(before, spec, {{"y", "7"}}) == std::map<std::string, std::string>{{"y", "7"}});
    const study::Amendment to = amendment(before, spec, {{"y", "7"}});
    CHECK(to.defaults == space::Values{std::int64_t(7)});
    CHECK(to.sampler == "random");
    CHECK_FALSE(to.pruner.has_value());
  }
}

TEST_CASE("limits, sampler, pruner, retries and lanes may change", "[driver][amend]") {
  CHECK(refusals("trials: 4", "trials: 9, stall: 3, target: 0.1").empty());
  CHECK(refusals("sampler: random", "sampler: tpe, lanes: 3, slack: 0.5, stagger: false").empty());
  CHECK(refusals("eta: 3", "eta: 2").empty());
  CHECK(refusals("limits:", "retry: {exception: 2}\nkeep: {best: 1}\ndescription: more\nlimits:").empty());
  CHECK(refusals("high: 1}", "high: 2, step: 0.5}").empty());
  CHECK(refusals("limits:", "constraints: [{forbid: {opt: adam, size: 16}}]\nlimits:").empty());
  CHECK(refusals("[16, 32]", "[16, 32, 64]").empty());
  CHECK(refusals("[16, 32]", "[32, 64]").empty());
}

TEST_CASE("what trials were judged by, run with or decided by may not", "[driver][amend]") {
  const auto [old, now, why] = GENERATE(table<std::string, std::string, std::string>({
      {"minimize", "maximize", "objective.direction: \"minimize\" -> \"maximize\"; what was measured was judged by it"},
      {"epochs: 9", "epochs: 10", "trial.epochs: 9 -> 10; trials so far were run with it"},
      {"limits:", "seed: 3\nlimits:", "seed: 0 -> 3; all randomness so far follows from it"},
      {"sampler: random", "sampler: random, order: arrival", "search.order"},
      {"sampler: random", "sampler: random, enqueue: [{x: 0.5}]", "`dlrun enqueue` asks for more"},
      {"limits:", "feasible: {metric: size, max: 3}\nlimits:", "feasible"},
      {"x: {type: float, low: 0, high: 1}", "x: {type: int, low: 0, high: 1}", "that is another parameter"},
      {"when: {opt: sgd}", "when: {opt: adam}", "space.mom.when"},
      {"  x: {type: float, low: 0, high: 1}\n", "", "space.x: taken away"},
      {"[16, 32]", "[8, 16, 32]", "values of an ordinal keep their order"},
  }));
  const auto found = refusals(old, now);
  INFO(old << " to " << now);
  REQUIRE_FALSE(found.empty());
  CHECK_THAT(found.front(), Contains(why));
}

TEST_CASE("a parameter may go with the choice that it belongs to", "[driver][amend]") {
  std::string text = replaced(kStudy, "[sgd, adam, lion]", "[adam, lion]");
  text = replaced(text, "  mom: {type: float, low: 0, high: 0.9, when: {opt: sgd}}\n", "");
  const Settled now = settled(read(kStudy).json, read(text).json);
  CHECK(now.refusals.empty());
  const spec::StudySpec spec = spec::from_json(now.spec, text);
  CHECK(spec.space.size() == 4);
  CHECK(changes(read(kStudy), spec) ==
        std::vector<std::string>{"space.opt: one of sgd, adam, lion -> one of adam, lion"});
}

TEST_CASE("the space of a population cannot change", "[driver][amend]") {
  const std::string breeding = replaced(kStudy, "{op: asha, eta: 3}", "{op: pbt, population: 4}");
  const Json before = read(breeding).json;
  const auto found = settled(before, read(replaced(breeding, "high: 1}", "high: 2}")).json).refusals;
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("heirs of pbt"));
}

}  // namespace amending_test
