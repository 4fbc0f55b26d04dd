// SPDX-License-Identifier: Apache-2.0
// Sentences of an ablation, and the names of its changes.
#include <functional>

#include "ablation/plan_json.hpp"
#include "report/ablation_findings.hpp"
#include "support/ablation_study.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

namespace findings_test {

using namespace dlrun;
using report::Audience;
using report::Change;
using report::Table;
using support::AblationPlan;
using support::Metric;

namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// bn is worth .05, dropout costs .04, idle does nothing; relu and gelu stand in for one another.
std::optional<double> usual(const Names& off, int r) {
  const int salt = int(support::id_of(off).size()) * 7 + r * 3;
  double value = 0.9 + 0.001 * double(salt % 5 - 2) + 0.004 * double(r % 3);
  if (has(off, "bn")) value -= 0.05;
  if (has(off, "dropout")) value += 0.04;
  if (has(off, "relu") && has(off, "gelu")) value -= 0.1;
  return value;
}

std::vector<Table> tables_of(const AblationPlan& plan, const Metric& metric, Audience audience = Audience::people) {
  const support::TempFolder folder;
  const auto store = support::write_ablation(folder.path(), plan, metric);
  return report::Reader(folder.path(), {}).findings(audience);
}

std::vector<std::string> texts_of(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table.rows) out.push_back(row[1].get<std::string>());
  return out;
}

std::vector<std::string> sentences_of(const AblationPlan& plan, const Metric& metric) {
  return texts_of(tables_of(plan, metric)[0]);
}

/// While the last runs of a variant go on.
std::vector<std::string> sentences_while_open(const AblationPlan& plan, const Metric& metric,
                                              const std::string& variant) {
  const support::TempFolder folder;
  const auto store = support::write_ablation(folder.path(), plan, metric);
  const auto place =
      std::find_if(plan.off.begin(), plan.off.end(), [&](const Names& off) { return support::id_of(off) == variant; });
  const std::int64_t v = place == plan.off.end() ? 0 : place - plan.off.begin() + 1;
  for (int r = 4; r < plan.replicates; ++r) {
    store->begin();
    store->change({trial::TrialId(r * std::int64_t(plan.off.size() + 1) + v), trial::TrialState::running, {}, 0});
    store->commit(storage::Durability::normal);
  }
  return texts_of(report::Reader(folder.path(), {}).findings(Audience::people).at(0));
}

/// The changes of components over a trial.
std::map<std::string, Change> changes(const Json& components, const Json& trial, const Names& ids) {
  ablation::Plan plan{ablation::section_of({{"components", components}})};
  return report::changes_of(plan, {{"trial", trial}}, ids);
}

std::string direction(const Json& component, const Json& trial) {
  ablation::Plan plan{ablation::section_of({{"components", Json::array({component})}})};
  const auto id = component["id"].get<std::string>();
  const auto names = report::directions_of(plan, report::changes_of(plan, {{"trial", trial}}, {id}));
  return names.contains(id) ? names.at(id) : "";
}

}  // namespace

// Means and intervals by Python's statistics module, with t(7, .975) = 2.364624.
TEST_CASE("a sentence for each finding, in points of a share", "[report][findings]") {
  const auto found = sentences_of({.off = {{"idle"}, {"dropout"}, {"bn"}}}, usual);
  CHECK(found == std::vector<std::string>{"By val.accuracy on this split, of 3 components: 1 earns its place, 1 is "
                                          "better left out, 1 makes no difference "
                                          "that matters (8 seeds).",
                                          "dropping `bn` costs 5.0 points [4.8, 5.2]; keep it",
                                          "dropping `idle` changes less than 2 points; it may go, and "
                                          "with it 10 % of the parameters",
                                          "dropping `dropout` gains 4.0 points [3.8, 4.2]; leave it out"});
}

TEST_CASE("what is inconclusive stands in one sentence, with the seeds that would settle it", "[report][findings]") {
  AblationPlan plan{.off = {{"a"}, {"bb"}}};
  plan.analysis = {{"rope", 0.01}};
  const Metric wide = [](const Names& off, int r) {
    return 0.9 + 0.004 * double(r % 3) - (off.empty() ? 0 : 0.05 * double(r % 2));
  };
  const auto found = sentences_of(plan, wide);
  REQUIRE(found.size() == 2);
  // sd of (0, -.05, 0, …) = .0267; a reach of rope / 2 = .005 takes about 4 * 1.96^2 * (.0267 / .01)^2 = 110 seeds.
  CHECK(found[1].starts_with("`a` and `bb` are inconclusive: the intervals reach ±2.23 points; about 120 seeds"));
  plan.analysis = {{"rope", nullptr}};
  CHECK(sentences_of(plan, wide)[1].ends_with("four times the seeds would halve that"));
}

TEST_CASE("a component without which every run ends the same is said to change nothing", "[report][findings]") {
  AblationPlan plan{.off = {{"placement"}, {"bb"}}};
  plan.analysis = {{"rope", nullptr}};
  const auto found = sentences_of(plan, [](const Names& off, int r) {
    return 0.9 + 0.004 * double(r % 3) - (has(off, "bb") ? 0.05 * double(r % 2) : 0);
  });
  REQUIRE(found.size() == 3);
  CHECK(found[1] ==
        "`placement` changes no value so far: with and without it, each pair of runs ends with the same "
        "val.accuracy");
  CHECK(found[2].starts_with("`bb` is inconclusive: the intervals reach ±"));
}

TEST_CASE("components that stand in for each other are said to", "[report][findings]") {
  const auto found = sentences_of({.design = "pairwise", .off = {{"relu"}, {"gelu"}, {"relu", "gelu"}}}, usual);
  CHECK(found.back().starts_with("`relu` and `gelu` stand in for each other ("));
}

/// Shares with luck that differs by variant; its mean over ten replicates does not.
Metric shares(const std::function<double(const Names& off)>& value) {
  return [value](const Names& off, int r) { return value(off) + 0.002 * double((r * 7 + int(off.size())) % 5); };
}

// As in ablation_test.cpp: a is worth 10 points and half of what b and c are worth together, 2.
TEST_CASE("effects of a fraction are said to be averages", "[report][findings]") {
  AblationPlan plan{.design = "fractional", .off = {{"a", "b"}, {"a", "c"}, {"b", "c"}}, .replicates = 10};
  plan.derived = {{"fraction", {{"resolution", 3}, {"words", {{"a", "b", "c"}}}}}};
  const auto found = sentences_of(plan, shares([](const Names& off) {
                                    const double a = has(off, "a") ? 0 : 1, b = has(off, "b") ? 0 : 1,
                                                 c = has(off, "c") ? 0 : 1;
                                    return 0.6 + 0.1 * a + 0.04 * b + 0.02 * b * c;
                                  }));
  REQUIRE(found.size() == 4);
  CHECK(found[1].starts_with("dropping `a` costs 11.0 points ["));
  CHECK(found[1].ends_with("] on average over the other components; keep it"));
}

// "keep it" was said of an effect that may be another's, and "need each other" of one pair where another does.
TEST_CASE("what a fraction cannot tell apart is said where its effects are", "[report][findings]") {
  AblationPlan plan{.design = "fractional", .off = {{"a", "b"}, {"a", "c"}, {"b", "c"}}, .replicates = 10};
  plan.derived = {{"fraction",
                   {{"resolution", 3},
                    {"words", {{"a", "b", "c"}}},
                    {"aliases", {{{"effect", {"a"}}, {"with", Json::array({{"b", "c"}})}}}}}}};
  const auto value = [](const Names& off) {
    const double a = has(off, "a") ? 0 : 1, b = has(off, "b") ? 0 : 1, c = has(off, "c") ? 0 : 1;
    return 0.6 + 0.1 * a + 0.04 * b + 0.02 * b * c;
  };
  CHECK(sentences_of(plan, shares(value))
            .at(1)
            .ends_with("] on average over the other components, or what `b` and `c` are to each other does, which this "
                       "fraction cannot tell apart"));
}

TEST_CASE("of aliased interactions none is said to be it", "[report][findings]") {
  AblationPlan plan{.design = "fractional", .replicates = 10};
  const Names all = {"a", "b", "c", "d"};  // 2^(4-1), I = abcd
  for (unsigned off = 1; off < 16; ++off) {
    Names names;
    for (unsigned i = 0; i < 4; ++i) {
      if ((off >> i & 1U) != 0) names.push_back(all[i]);
    }
    if (names.size() % 2 == 0) plan.off.push_back(names);
  }
  plan.derived = {{"fraction",
                   {{"resolution", 4},
                    {"words", Json::array({all})},
                    {"aliases", {{{"effect", {"a", "b"}}, {"with", Json::array({{"c", "d"}})}}}}}}};
  const Metric metric = shares([](const Names& off) { return has(off, "c") || has(off, "d") ? 0.6 : 0.8; });
  const std::string last = sentences_of(plan, metric).back();
  CHECK(last.starts_with("`a` and `b`, or `c` and `d` need each other ("));
  CHECK(last.ends_with("; this fraction cannot tell which)"));
}

TEST_CASE("a path says what it brings, and what brings most", "[report][findings]") {
  AblationPlan plan{.design = "path", .off = {{"a", "b"}, {"b"}}, .replicates = 10};
  plan.derived = {{"steps", {{"components", {"a", "b"}}, {"puts_back", true}, {"order", "given"}}}};
  const auto found = sentences_of(
      plan, shares([](const Names& off) { return 0.9 - (has(off, "a") ? 0.07 : 0) - (has(off, "b") ? 0.03 : 0); }));
  CHECK(found.at(0).starts_with("From nothing to the baseline, the path gains 10.0 points ["));
  CHECK(found[0].find("the most comes from `a`: 7.0 points [") != std::string::npos);
  CHECK(found.at(1).starts_with("`a` gains 7.0 points ["));
}

TEST_CASE("an elimination says what can go and what stays", "[report][findings]") {
  AblationPlan plan{.design = "elimination", .off = {{"bn"}, {"idle"}, {"bn", "idle"}}};
  plan.derived = {{"steps", {{"components", {"bn", "idle"}}, {"puts_back", false}, {"order", "greedy"}}}};
  const auto found = sentences_of(plan, shares([](const Names& off) { return has(off, "bn") ? 0.85 : 0.9; }));
  CHECK(found.at(0).starts_with("`idle` can go, and that "));
  CHECK(found[0].ends_with("; `bn` stays."));
}

// "No component can go" was said before the first round was over.
TEST_CASE("an elimination that is not over says so", "[report][findings]") {
  AblationPlan plan{.design = "elimination", .off = {{"bn"}, {"idle"}, {"bn", "idle"}}, .replicates = 10};
  plan.derived = {{"steps", {{"components", {"bn", "idle"}}, {"puts_back", false}, {"order", "greedy"}}}};
  const Metric metric = shares([](const Names& off) { return has(off, "bn") ? 0.85 : 0.9; });
  CHECK(sentences_while_open(plan, metric, "idle").at(0) == "The elimination is not over: nothing can go so far.");
  const auto found = sentences_while_open(plan, metric, "bn+idle");
  CHECK(found.at(0).starts_with("The elimination is not over: `idle` can go so far, and that "));
}

TEST_CASE("a path that is not over says how far it came", "[report][findings]") {
  AblationPlan plan{.design = "path", .off = {{"a", "b"}, {"a"}, {"b"}}, .replicates = 10};
  plan.derived = {{"steps", {{"components", {"a", "b"}}, {"puts_back", true}, {"order", "greedy"}}}};
  const Metric metric = shares([](const Names& off) { return 0.9 - (has(off, "a") ? 0.07 : 0); });
  CHECK(sentences_while_open(plan, metric, "baseline")
            .at(0)
            .starts_with("From nothing, the path so far (1 of 2 changes) gains 7.0 points"));
  const Metric failing = [&](const Names& off, int r) { return off.empty() ? std::nullopt : metric(off, r); };
  CHECK(sentences_of(plan, failing)
            .at(0)
            .starts_with("From nothing, the path, which ended after 1 of 2 changes (no step that is left was measured "
                         "often enough), gains 7.0 points"));
}

// "`do` lowers acc by 0.002; keep it" stood below "`do` can go".
TEST_CASE("a step of an elimination has no advice", "[report][findings]") {
  AblationPlan plan{.design = "elimination", .off = {{"bn"}, {"idle"}, {"bn", "idle"}}, .replicates = 10};
  plan.analysis = {{"rope", 0.05}};
  plan.derived = {{"steps", {{"components", {"bn", "idle"}}, {"puts_back", false}, {"order", "greedy"}}}};
  const auto found = sentences_of(plan, shares([](const Names& off) { return has(off, "bn") ? 0.8 : 0.9; }));
  for (const std::string& sentence : found) CHECK(sentence.find("keep it") == std::string::npos);
}

TEST_CASE("a baseline that did not train has no findings", "[report][findings]") {
  const auto found = sentences_of({.off = {{"bn"}}}, [](const Names&, int) { return 0.5; });
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("The baseline did not train"));
}

TEST_CASE("a metric that is no share has its own unit", "[report][findings]") {
  report::AblationStudy study;
  study.spec = Json::object();
  study.metric = "val.loss";
  study.maximize = false;
  const report::Amounts loss(study);
  CHECK(loss.change({.mean = .12, .low = .1, .high = .14}, true) == "raises val.loss by 0.120 [0.100, 0.140]");
  CHECK(loss.change({.mean = 1.5e-20, .low = 7.4e-21, .high = 2.3e-20}, true) ==
        "raises val.loss by 1.5e-20 [7.4e-21, 2.3e-20]");  // it was 0.000000000000000
  CHECK(loss.change({.mean = -3, .low = -3, .high = -3}, true) == "lowers val.loss by 3");
  study.metric = "val.survived.accuracy";
  study.maximize = true;
  CHECK(report::Amounts(study).change({.mean = .021, .low = .017, .high = .024}, true) ==
        "costs 2.1 points [1.7, 2.4]");
  study.spec = {{"trial", {{"kind", "command"}}}};  // which may count in percent
  CHECK_FALSE(report::Amounts(study).is_share());
}

TEST_CASE("contributions far below 1 are told in few columns too", "[report][findings]") {
  report::AblationStudy study;
  study.spec = Json::object();
  study.metric = "val.loss";
  report::Judged judged{"bn", nullptr, nullptr, {}};
  judged.found.verdict = statistics::Verdict::helps;
  judged.found.effect = statistics::Effect{.mean = 1.52e-20, .low = 7.4e-21, .high = 2.3e-20};
  const auto row = report::short_table(study, {judged}).rows.at(0);
  CHECK(row.at(2).get<double>() == Approx(1.52e-20));
  CHECK(row.at(3).get<double>() == Approx(7.4e-21));
}

TEST_CASE("a swap is named by its direction", "[report][findings]") {
  const Json trial = {{"optimizer", {{"op", "adam"}, {"lr", 0.01}}},
                      {"data", {{"sampler", {{"op", "shuffle"}}}}},
                      {"model", {{"nodes", {{{"name", "act"}, {"op", "relu"}}}}}}};
  CHECK(direction({{"id", "a"}, {"swap", {{"kind", "relu"}}}, {"to", {{"op", "gelu"}}}}, trial) == "relu → gelu");
  CHECK(direction({{"id", "a"}, {"swap", {{"name", "act"}}}, {"to", {{"op", "gelu"}}}}, trial) == "relu → gelu");
  CHECK(direction({{"id", "a"}, {"swap", {{"prefix", "b"}}}, {"to", {{"op", "gelu"}}}}, trial) == "as it is → gelu");
  CHECK(direction({{"id", "a"}, {"swap", "optimizer"}, {"to", {{"op", "sgd"}, {"lr", 0.1}}}}, trial) == "adam → sgd");
  CHECK(direction({{"id", "a"}, {"swap", "optimizer"}, {"to", {{"op", "adam"}, {"lr", 0.1}}}}, trial) ==
        "optimizer.lr: 0.01 → 0.1");
  CHECK(direction({{"id", "a"}, {"swap", "sampler"}, {"to", {{"op", "sequential"}}}}, trial) == "shuffle → sequential");
  CHECK(direction({{"id", "a"}, {"set", {{"optimizer.lr", 0.1}}}}, trial) == "optimizer.lr: 0.01 → 0.1");
  CHECK(direction({{"id", "a"}, {"set", {{"optimizer.lr", 0.1}, {"epochs", 1}}}}, trial).empty());
  CHECK(direction({{"id", "a"}, {"drop", {{"kind", "relu"}}}}, trial).empty());
  CHECK(direction({{"id", "a"}, {"swap_argument", "--m=cnn"}, {"to", "--m=mlp"}}, trial) == "--m=cnn → --m=mlp");
}

// "`optimizer.lr`: `0.1` is better than `0.01`" was said of a swap that changed momentum and weight decay, too.
TEST_CASE("a swap within one kind is named by a setting that is the only one to differ", "[report][findings]") {
  const Json sgd = {{"op", "sgd"}, {"lr", 0.1}, {"momentum", 0.9}, {"nesterov", false}, {"weight_decay", 0.001}};
  const auto named = [&](Json to, bool inherit = false) {
    to["op"] = "sgd";
    return direction({{"id", "a"}, {"swap", "optimizer"}, {"to", to}, {"inherit", inherit}}, {{"optimizer", sgd}});
  };
  CHECK(named({{"lr", 0.01}, {"momentum", 0.0}}).empty());
  CHECK(named({{"lr", 0.01}}).empty());  // the others go back to their defaults
  CHECK(named({{"lr", 0.01}}, true) == "optimizer.lr: 0.1 → 0.01");
  CHECK(named({{"lr", 0.01}, {"momentum", 0.9}, {"weight_decay", 0.001}}) == "optimizer.lr: 0.1 → 0.01");
  CHECK(named({{"lr", 0.1}, {"momentum", 0.9}}) == "optimizer.weight_decay: 0.001 → 0.0");
}

TEST_CASE("layers that are swapped for their own kind are named by what changes", "[report][findings]") {
  const Json selector = {{"kind", "dropout"}}, trial = {{"model", Json::object()}};
  CHECK(direction({{"id", "a"}, {"swap", selector}, {"to", {{"op", "dropout"}, {"p", 0.95}}}}, trial) ==
        "dropout.p: as it is → 0.95");
  CHECK(direction({{"id", "a"}, {"swap", selector}, {"to", "dropout"}}, trial).empty());
  CHECK(
      direction({{"id", "a"}, {"swap", {{"kind", "conv"}}}, {"to", {{"op", "conv"}, {"out", 8}, {"kernel", 5}}}}, trial)
          .empty());
}

TEST_CASE("two swaps of one direction keep their ids", "[report][findings]") {
  const Json sgd = {{"op", "sgd"}, {"lr", 0.1}}, faster = {{"op", "sgd"}, {"lr", 1.0}};
  const Json components = {{{"id", "a"}, {"swap", "optimizer"}, {"to", sgd}},
                           {{"id", "b"}, {"swap", "optimizer"}, {"to", faster}}};
  ablation::Plan plan{ablation::section_of({{"components", components}})};
  const auto all = changes(components, {{"optimizer", {{"op", "adam"}}}}, {"a", "b"});
  CHECK(report::directions_of(plan, all).at("b") == "adam → sgd (b)");
}

TEST_CASE("people read which side is better, programs the same words as ever", "[report][findings]") {
  AblationPlan plan{.off = {{"bn"}, {"dropout"}}};
  plan.components = {{{"id", "bn"}, {"set", {{"epochs", 3}}}}, {{"id", "dropout"}, {"set", {{"metrics", "loss"}}}}};
  const auto people = tables_of(plan, usual), programs = tables_of(plan, usual, Audience::programs);
  CHECK(people[1].rows[0][0].get<std::string>().ends_with("→ 3"));
  CHECK(people[1].rows[0][1].get<std::string>().ends_with(" better"));
  CHECK(programs[1].rows[0][0] == "bn");
  CHECK(programs[1].rows[0][1] == "helps");
  CHECK(programs[1].columns[programs[1].columns.size() - 2] == "change");
  CHECK(programs[1].rows[0].back() ==
        people[1].rows[0][1].get<std::string>().substr(0, people[1].rows[0][1].get<std::string>().size() - 7));
}

}  // namespace findings_test
