// SPDX-License-Identifier: Apache-2.0
#include "spec/quarantine.hpp"
#include "support/temp_folder.hpp"
#include "unit/spec/study_file.hpp"

namespace read_test {

using namespace dlrun;
using namespace dlrun::spec;

TEST_CASE("a short study runs: every other key has a default", "[spec][read]") {
  const StudySpec spec = StudyFile(kTrees).read();
  CHECK(spec.name == "trees");
  CHECK(spec.rules.lanes == 1);  // open until the study is created
  CHECK(spec.rules.limits.trials == 32);
  CHECK(spec.rules.epochs == 10);
  CHECK(spec.rules.objective.maximize);
  CHECK(pruners::is_none(spec.pruner.kind));
  CHECK(spec.rules.epochs == 10);
  CHECK(spec.hang_seconds == 60);
  CHECK(spec.rules.retries.at(trial::Cause::worker_lost) == 5);
  CHECK(spec.json["trial"]["loss"]["op"] == "cross_entropy");
  CHECK(spec.json["trial"]["metrics"] == Json::array({"accuracy"}));
  CHECK(spec.json["trial"]["optimizer"]["lr"] == 0.05);
  CHECK(spec.rules.test_best);
}

TEST_CASE("a study has no name that selects trials or studies", "[spec][read]") {
  const auto name = GENERATE(as<std::string>{}, "all", "last", "best", "17", "3-7");
  std::string text = kTrees;
  text.replace(text.find("study: ") + 7, 5, "'" + name + "'");
  CHECK_THAT(StudyFile(text).errors(), Contains("means trials or studies where names are given"));
}

TEST_CASE("a study has no name that another study's file may have", "[spec][read]") {
  const auto name = GENERATE(as<std::string>{}, "trees.db", "trees.db.v3", "trees.lock");
  std::string text = kTrees;
  text.replace(text.find("study: ") + 7, 5, name);
  CHECK_THAT(StudyFile(text).errors(), Contains("ends as the file of another study may"));
}

TEST_CASE("what changes nothing is refused, and what surely is a mistake is told", "[spec][read]") {
  const auto with = [](const std::string& lines) { return StudyFile(std::string(kTrees) + lines); };
  CHECK_THAT(with("  stop: {patience: 10}\n").errors(), Contains("a patience of 10 never runs out in the 10 epochs"));
  CHECK_THAT(with("  schedule: {op: plateau, patience: 12}\n").errors(), Contains("a patience of 12 never runs out"));
  CHECK_THAT(with("retry: {delay: 90}\n").errors(), Contains("the first delay of 90.0 s is longer than max_delay"));
  CHECK_THAT(with("retry: {exception: 3}\n").warnings(),
             Contains("cause exception is repeated once at most, not 3 times"));
  CHECK(with("retry: {exception: 1, worker_lost: 9}\n").warnings().empty());
  CHECK_THAT(with("  batch_size: 4096\n").warnings(), Contains("a batch of 4096 is more than the"));
  CHECK_THAT(with("  accumulate: 4096\n").warnings(), Contains("4096 batches make a step, but an epoch has"));
  CHECK_THAT(with("  optimizer: {op: sgd, dampening: 0.2}\n").warnings(), Contains("dampens a momentum, which is 0"));
  CHECK(with("  optimizer: {op: sgd, momentum: 0.9, dampening: 0.2}\n").warnings().empty());
  CHECK_THAT(with("  optimizer: {op: nadam, decoupled: true}\n").warnings(), Contains("weight_decay is 0"));
  CHECK(with("  optimizer: {op: radam, decoupled: true, weight_decay: 0.1}\n").warnings().empty());
  CHECK(with("  optimizer: {op: radam, decoupled: true, groups: [{match: [fc1], weight_decay: 0.1}]}\n")
            .warnings()
            .empty());
}

TEST_CASE("a program and its environment are what they can be", "[spec][command]") {
  const auto with = [](const std::string& trial) {
    std::string text = kBranin;
    return StudyFile(text.replace(text.find("trial:"), std::string::npos, "trial: {kind: command, " + trial + "}\n"));
  };
  CHECK_THAT(with("command: [sh], env: {DLRUN_TRIAL: '3'}").errors(), Contains("'DLRUN_TRIAL' is set by dlrun"));
  CHECK_THAT(with("command: [sh], env: {'A=B': c}").errors(), Contains("is no name of an environment variable"));
  CHECK_THAT(with("command: [sh], env: {'': c}").errors(), Contains("is no name of an environment variable"));
  CHECK_THAT(with("command: [\"\"]").errors(), Contains("the command is empty"));
  CHECK_THAT(with("command: [\"s\\0h\"]").errors(), Contains("a text has a zero byte"));
  CHECK_THAT(with("command: [dlrun-no-such-program]").warnings(),
             Contains("there is no program 'dlrun-no-such-program'"));
  CHECK_THAT(with("command: [./gone.sh]").warnings(), Contains("there is no program './gone.sh'"));
  const support::TempFolder folder;
  write_file(folder / "plain.sh", "");
  const std::string plain = (folder / "plain.sh").string();
  CHECK_THAT(with("command: [" + plain + "]").warnings(), Contains("'" + plain + "' may not be executed"));
  CHECK(with("command: [sh, -c, 'true']").warnings().empty());
}

// The check and the worker read them differently: what one accepted, the other refused.
TEST_CASE("variables of a script belong to the shell, and ${args} is an element", "[spec][command]") {
  const auto with = [](const std::string& trial) {
    std::string text = kBranin;
    return StudyFile(text.replace(text.find("trial:"), std::string::npos, "trial: {kind: command, " + trial + "}\n"));
  };
  CHECK(with("shell: true, command: ['echo $${HOME} $${{HOME}} $${A:-{x1}} ${args}']").errors().empty());
  CHECK_THAT(with("shell: true, command: ['echo $${A:-{y}}']").errors(), Contains("'{y}' names no parameter"));
  CHECK(with("command: [echo, '${args}']").errors().empty());
  CHECK_THAT(with("command: [echo, 'all ${args}']").errors(), Contains("${args} stands alone"));
}

TEST_CASE("the normal form is complete: read back it gives the same study", "[spec][from_json]") {
  const StudySpec spec = StudyFile(kTrees).read();
  const StudySpec again = spec::from_json(parse_json(to_text(spec.json), "spec"), spec.text);
  CHECK(again.hash == spec.hash);
  CHECK(again.json == spec.json);
  CHECK(again.rules.slack == spec.rules.slack);
  CHECK(again.space.size() == 2);
  CHECK(again.data->sha256 == spec.data->sha256);
  CHECK_THROWS_AS(spec::from_json(Json::object(), ""), Error);
}

TEST_CASE("parameters keep the order in which they were written", "[spec][space]") {
  const StudySpec spec = StudyFile(kTrees).read();
  CHECK(spec.space.parameters()[0].name == "lr");
  CHECK(spec.space.parameters()[1].name == "width");
  const StudySpec again = spec::from_json(parse_json(to_text(spec.json), "spec"), "");
  CHECK(again.space.parameters()[0].name == "lr");
}

TEST_CASE("the hash leaves out what is not part of the question", "[spec][hash]") {
  const StudyFile file(kTrees);
  const std::string hash = file.read().hash;
  CHECK(file.read({"resources.threads_per_trial=2", "executor=local", "limits.wall=1h"}).hash == hash);
  CHECK(file.read({"description=other words"}).hash == hash);
  CHECK(file.read({"seed=1"}).hash != hash);
  CHECK(file.read({"limits.trials=33"}).hash != hash);
  CHECK(file.read({"trial.epochs=11"}).hash != hash);
}

TEST_CASE("what is far behind runs twice where that gives the same", "[spec][speculate]") {
  const StudyFile file(kTrees);
  const StudySpec plain = file.read();
  REQUIRE(plain.speculation);
  CHECK(plain.speculation->factor == 2);
  CHECK(plain.speculation->after == 10);
  CHECK_FALSE(file.read({"resources.speculate=false"}).speculation);
  CHECK_FALSE(file.read({"trial.deterministic=false"}).speculation);
  const auto with_ranks = [&](const std::string& gang, const std::string& speculate) {
    return file.read({"trial.parallel=" + gang, "trial.cluster=processes", "resources.speculate=" + speculate});
  };
  CHECK(with_ranks("{op: bsp, ranks: 2}", "auto").speculation);
  CHECK_FALSE(with_ranks("{op: asp, ranks: 2}", "auto").speculation);  // two trainings that differ would race
  CHECK_FALSE(with_ranks("{op: bsp, ranks: 2, on_loss: elastic}", "auto").speculation);
  CHECK(with_ranks("{op: asp, ranks: 2}", "true").speculation);
  CHECK(file.read({"trial.deterministic=false", "resources.speculate=true"}).speculation);
  const StudySpec own = file.read({"resources.speculate.after=1m"});
  CHECK(own.speculation->after == 60);
  CHECK(own.hash == plain.hash);
}

TEST_CASE("moving the folder keeps the hash, changing the data does not", "[spec][hash]") {
  const StudyFile here(kTrees, "here");
  const StudyFile there(kTrees, "there");
  CHECK(here.read().hash == there.read().hash);
  CHECK(here.read().json["trial"]["data"]["path"] != there.read().json["trial"]["data"]["path"]);
  there.write("trees.csv", read_file(there.folder / "trees.csv") + "1,red,oak\n");
  CHECK(here.read().hash != there.read().hash);
}

TEST_CASE("writing out a default keeps the hash", "[spec][hash]") {
  const StudyFile file(kTrees);
  CHECK(file.read({"trial.batch_size=32", "search={lanes: auto}", "retry.oom=0"}).hash == file.read().hash);
}

TEST_CASE("when a lost piece is tried again is no part of a study's identity", "[spec][hash]") {
  const StudyFile file(kTrees);
  const StudySpec spec = file.read({"retry={delay: 5, max_delay: 10m}"});
  CHECK(spec.retry_delay.first == 5);
  CHECK(spec.retry_delay.most == 600);
  CHECK(spec.rules.retries.size() == 6);
  CHECK(spec.hash == file.read().hash);
  CHECK(file.read({"retry.oom=1"}).hash != file.read().hash);
}

TEST_CASE("when a host is set aside is no part of a study's identity", "[spec][hash]") {
  const StudyFile file(kTrees);
  const auto rules = [&](const char* set) { return quarantine_of(file.read({set}).json); };
  const StudySpec plain = file.read();
  CHECK(quarantine_of(plain.json).after == 3);
  CHECK(quarantine_of(plain.json).first == 60);
  CHECK(quarantine_of(plain.json).most == 3600);
  CHECK(rules("retry={quarantine: {after: 5, for: 10m, max_for: 2h}}").after == 5);
  CHECK(rules("retry.quarantine.for=10m").first == 600);
  CHECK(rules("retry.quarantine.max_for=2h").most == 7200);
  CHECK(rules("retry.quarantine=off").after == 0);
  CHECK(file.read({"retry.quarantine=off"}).hash == plain.hash);
  CHECK(file.read({"retry.quarantine=off"}).rules.retries.size() == 6);
  Json old = plain.json;
  old["retry"].erase("quarantine");
  CHECK(quarantine_of(old).after == 3);
}

TEST_CASE("--set reaches the trial without its first name, as at: does", "[spec][set]") {
  const StudySpec spec = StudyFile(kTrees).read({"model.nodes.fc1.out=16", "epochs=3", "seed=9"});
  CHECK(spec.json["trial"]["model"]["nodes"][0]["out"] == 16);
  CHECK(spec.rules.epochs == 3);
  CHECK(spec.seed == 9);
}

TEST_CASE("where the optimiser is searched, the keys of all its kinds are filled in", "[spec][normal]") {
  std::string text = kTrees;
  text.insert(text.find("  width:"), "  opt: {at: optimizer.op, choices: [sgd, adam]}\n");
  const Json optimizer = StudyFile(text).read().json["trial"]["optimizer"];
  CHECK(optimizer["op"] == "sgd");
  CHECK(optimizer.contains("momentum"));
  CHECK(optimizer["betas"] == Json::array({0.9, 0.999}));
}

TEST_CASE("a name that is a place needs no at:", "[spec][places]") {
  std::string text = kTrees;
  text.replace(text.find("lr: {at: optimizer.lr, "), 23, "optimizer.lr: {");
  CHECK(StudyFile(text).read().space.parameters()[0].at == "optimizer.lr");
}

TEST_CASE("data may be cached, missing or moved: relative paths begin at the file that names them", "[spec][data]") {
  const StudyFile file(kTrees);
  file.write("piece.yaml", "op: csv\npath: trees.csv\ntarget: kind\n");
  std::string text = kTrees;
  text.replace(text.find("{op: csv"), std::string("{op: csv, path: trees.csv, target: kind}").size(),
               "{extends: piece}");
  std::filesystem::create_directories(file.folder / "inner");
  file.write("inner/study.yaml", text);
  const StudySpec spec = spec::read({file.folder / "inner/study.yaml", {}, {}, {file.folder}});
  CHECK(spec.json["trial"]["data"]["path"] == (file.folder / "trees.csv").string());
}

TEST_CASE("a grid ends by itself, a target ends a search, a limit of time leaves the number of trials",
          "[spec][limits]") {
  const StudyFile file(kBranin);
  CHECK_FALSE(file.read({"limits.target=0.5"}).rules.limits.trials);
  CHECK(file.read({"limits.wall=1m30s"}).rules.limits.trials == 32);
  CHECK(file.read({"limits.wall=1m30s"}).wall_seconds == 90);
  CHECK_FALSE(file.read({"search.sampler=grid", "space.x1.step=5", "space.x2.step=5"}).rules.limits.trials);
}

TEST_CASE("a final training needs weights to begin with", "[spec][final]") {
  CHECK_THAT(StudyFile(std::string(kBranin) + "final: {epochs: 3}\n").errors(),
             Contains("only trials that train have weights to begin with"));
  CHECK(StudyFile(std::string(kBranin) + "final: null\n").errors().empty());
}
TEST_CASE("a pruner's options reach the search", "[spec][pruner]") {
  const auto pruner = [](const std::string& text, std::vector<std::string> sets = {}) {
    sets.insert(sets.end(), {"trial.epochs=27", "search.lanes=8", "search.pruner=" + text});
    return StudyFile(kBranin).read(sets);
  };
  const StudySpec median = pruner("{op: median, min_budget: 3, interval: 5, startup_trials: 2, min_trials: 4}");
  const auto& own = std::get<pruners::Median>(median.pruner.kind);
  CHECK(own.ladder.min_budget == 3);
  CHECK(own.ladder.max_budget == 27);
  CHECK(own.ladder.interval == 5);
  CHECK(own.others.startup_trials == 2);
  CHECK(own.others.min_trials == 4);
  CHECK_FALSE(median.pruner.study.maximize);
  CHECK(median.rules.slack == 450);   // a tenth of 27 epochs by 6 rungs: 3, 8, 13, 18, 23, 27
  CHECK(median.rules.stride == 562);  // 27 epochs by 6 rungs, by 8 lanes
  CHECK(std::get<pruners::Asha>(pruner("{op: asha, type: stop}").pruner.kind).stops);
  CHECK_FALSE(std::get<pruners::Asha>(pruner("asha").pruner.kind).stops);
  CHECK(std::get<pruners::Percentile>(pruner("{op: percentile, percentile: 25}").pruner.kind).percentile == 25);
  CHECK(pruner("{op: threshold, upper: 5}", {"objective.direction=maximize"}).pruner.study.maximize);
  const StudySpec threshold = pruner("{op: threshold, upper: 5}");
  CHECK(std::get<pruners::Threshold>(threshold.pruner.kind).upper == 5.0);
  CHECK_FALSE(std::get<pruners::Threshold>(threshold.pruner.kind).lower.has_value());
  const StudySpec patience = pruner("{op: patience, patience: 3, min_delta: 0.5}");
  CHECK(std::get<pruners::Patience>(patience.pruner.kind).min_delta == 0.5);
}

TEST_CASE("bohb is hyperband with tpe", "[spec][pruner]") {
  const auto sampler = [](const std::string& pruner) {
    return StudyFile(kBranin).read({"trial.epochs=9", "search.pruner=" + pruner}).sampler;
  };
  CHECK(sampler("bohb") == "tpe");
  CHECK(sampler("hyperband") == "auto");
}

TEST_CASE("a limit of epochs into which no trial fits gets a warning", "[spec]") {
  const auto warnings = [](const std::string& more) {
    std::string text = kBranin;
    text.replace(text.find("branin}"), 7, "branin, epochs: 4}");
    return StudyFile(text + more).warnings();
  };
  CHECK_THAT(warnings("limits: {epochs: 3}\n"), Contains("a trial has 4 epochs, so that the search ends before"));
  CHECK(warnings("limits: {epochs: 4}\n").find("limits.epochs") == std::string::npos);
  CHECK(warnings("limits: {epochs: 3}\nsearch: {pruner: asha}\n").find("a trial has") == std::string::npos);
}

TEST_CASE("a search without an end gets one pass over the pruner's brackets", "[spec][pruner]") {
  const auto trials = [](std::vector<std::string> sets) {
    sets.emplace_back("trial.epochs=9");
    return StudyFile(kBranin).read(sets).rules.limits.trials;
  };
  CHECK(trials({"search.pruner=hyperband"}) == 17);
  CHECK(trials({"search.pruner=bohb"}) == 17);
  CHECK(trials({"search.pruner=successive_halving"}) == 9);
  CHECK(trials({"search.pruner={op: successive_halving, bracket: 20}"}) == 20);
  CHECK(trials({"search.pruner=asha"}) == 32);
  CHECK(trials({"search.pruner=hyperband", "limits.stall=5"}) == std::nullopt);
}

}  // namespace read_test
