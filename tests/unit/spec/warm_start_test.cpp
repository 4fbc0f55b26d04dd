// SPDX-License-Identifier: Apache-2.0
// `warm_start`, `horizon` and `final`: what is filled in, refused, and part of the identity.
#include "tensors/safetensors.hpp"
#include "unit/spec/study_file.hpp"

namespace warm_start_test {

using namespace dlrun;
using namespace dlrun::spec;

namespace {

const std::string kHash(64, 'a');

/// kTrees with lines more in its trial.
std::string with(const std::string& trial_line) {
  std::string text = kTrees;
  const std::size_t at = text.find("trial:\n") + 7;
  return text.insert(at, "  " + trial_line + "\n");
}

std::string donors(int count) {
  std::string out = "donors: [";
  for (int i = 0; i < count; ++i) out += (i > 0 ? ", " : "") + ("{sha256: " + kHash + ", epoch: 4, horizon: 10}");
  return out + "]";
}

std::string start(const std::string& keys, int count = 1) {
  return with("warm_start: {" + keys + (keys.empty() ? "" : ", ") + donors(count) + "}");
}

}  // namespace

TEST_CASE("what a policy leaves open is filled in", "[spec][warm_start]") {
  const Json best = StudyFile(start("")).read().json["trial"]["warm_start"];
  CHECK(best["policy"] == "best");
  CHECK(best["buffers"] == "copy");
  CHECK(best["optimizer"] == "reset");
  CHECK(best["schedule"] == "restart");
  CHECK(best["guard"].is_null());
  const Json resume = StudyFile(start("policy: resume")).read().json["trial"]["warm_start"];
  CHECK(resume["optimizer"] == "carry");
  CHECK(resume["schedule"] == "remaining");
  const Json mean = StudyFile(start("policy: topk_average", 3)).read().json["trial"]["warm_start"];
  CHECK(mean["buffers"] == "recalibrate");
  CHECK(mean["guard"]["max_val_drop"] == 2.0);
  CHECK(mean["guard"]["fallback"] == "best");
}

TEST_CASE("a trial without a warm start has no such key", "[spec][warm_start]") {
  const StudySpec spec = StudyFile(kTrees).read();
  CHECK_FALSE(spec.json["trial"].contains("warm_start"));
  CHECK_FALSE(spec.json["trial"].contains("horizon"));
  CHECK_FALSE(spec.json.contains("final"));
  CHECK(StudyFile(with("warm_start: null")).read().hash == spec.hash);
  CHECK(StudyFile(start("")).read().hash != spec.hash);
}

TEST_CASE("what a policy makes no use of is refused", "[spec][warm_start]") {
  CHECK_THAT(StudyFile(start("lambda: 0.3")).errors(), Contains("'best' makes no use of 'lambda'"));
  CHECK_THAT(StudyFile(start("policy: resume, exclude: [head]")).errors(),
             Contains("'resume' makes no use of 'exclude'"));
  CHECK_THAT(StudyFile(start("guard: {fallback: none}")).errors(), Contains("there is no guard that could fall back"));
  CHECK_THAT(StudyFile(start("policy: topk_average")).errors(), Contains("takes several donors"));
  CHECK_THAT(StudyFile(start("policy: shrink_perturb", 2)).errors(), Contains("takes one donor"));
  CHECK_THAT(StudyFile(start("policy: shrink_perturb, lambda: 1.5")).errors(), Contains("1.5"));
  CHECK_THAT(StudyFile(start("policy: bset")).errors(), Contains("best"));
  CHECK_THAT(StudyFile(start("batches: 10")).errors(), Contains("batches are those of buffers: recalibrate"));
  CHECK(StudyFile(start("batches: 10, buffers: recalibrate")).errors().empty());
  const auto final = [](const std::string& keys) {
    return StudyFile(std::string(kTrees) + "final: {warm_start: {" + keys + "}}\n").errors();
  };
  CHECK_THAT(final("batches: 10"), Contains("batches are those of buffers: recalibrate"));
  CHECK_THAT(final("batches: 10, buffers: copy"), Contains("batches are those of buffers: recalibrate"));
  CHECK(final("batches: 10, policy: topk_average").empty());
}

TEST_CASE("donors are files or artifacts, and there are some", "[spec][warm_start]") {
  CHECK_THAT(StudyFile(with("warm_start: {policy: best}")).errors(), Contains("needs donors"));
  CHECK_THAT(StudyFile(with("warm_start: {donors: [{epoch: 3}]}")).errors(), Contains("a donor is a file"));
  CHECK_THAT(StudyFile(with("warm_start: {donors: [{from: gone.safetensors}]}")).errors(),
             Contains("there is no file 'gone.safetensors'"));
}

TEST_CASE("patterns name tensors of the model", "[spec][warm_start]") {
  CHECK_THAT(StudyFile(start("exclude: [nothing]")).errors(), Contains("names no tensor of the model"));
  CHECK_THAT(StudyFile(start("include: ['(']")).errors(), Contains("is no regular expression"));
}

TEST_CASE("what remains of a schedule is more than nothing", "[spec][warm_start]") {
  const std::string late = "warm_start: {schedule: remaining, donors: [{sha256: " + kHash + ", epoch: 10}]}";
  CHECK_THAT(StudyFile(with(late)).errors(), Contains("none of 10 remains"));
  const std::string unknown = "warm_start: {schedule: remaining, donors: [{sha256: " + kHash + "}]}";
  CHECK_THAT(StudyFile(with(unknown)).errors(), Contains("how many epochs the donor was trained"));
}

// All epochs at a rate of 0, without a word.
TEST_CASE("a schedule that is over leaves nothing to continue", "[spec][warm_start]") {
  const auto faults = [](const std::string& schedule, const std::string& horizon) {
    return StudyFile(with("schedule: " + schedule +
                          "\n  warm_start: {optimizer: carry, schedule: continue, donors: "
                          "[{sha256: " +
                          kHash + ", epoch: 10, horizon: " + horizon + "}]}"))
        .errors();
  };
  for (const char* schedule : {"cosine", "linear", "one_cycle"})
    CHECK_THAT(faults(schedule, "10"), Contains("the donor's schedule is over"));
  CHECK(faults("cosine", "20").empty());
  CHECK(faults("step", "10").empty());
  CHECK(faults("{op: cosine, min_lr: 0.001}", "10").empty());
  const auto final = [](const std::string& trial, const std::string& section) {
    return StudyFile(with(trial) + "final: {epochs: 9, seeds: 3, " + section + "}\n").errors();
  };
  const std::string ending = "warm_start: {policy: best, optimizer: carry, schedule: continue}";
  CHECK_THAT(final("schedule: cosine", ending), Contains("the donor's schedule is over"));
  CHECK_THAT(final("schedule: cosine", "compare: [finish]"), Contains("the donor's schedule is over"));
  CHECK(final("schedule: cosine\n  horizon: 40", ending).empty());
}

TEST_CASE("a rate that follows from measured values is not taken up without them", "[spec][warm_start]") {
  const auto faults = [](const std::string& keys) {
    return StudyFile(with("schedule: plateau\n  warm_start: {" + keys + ", donors: [{sha256: " + kHash +
                          ", epoch: 4, horizon: 10}]}"))
        .errors();
  };
  CHECK_THAT(faults("schedule: continue"), Contains("schedule: continue cannot take up `plateau`"));
  CHECK_THAT(faults("schedule: remaining"), Contains("schedule: remaining cannot take up `plateau`"));
  CHECK(faults("policy: resume").empty());
  CHECK(faults("policy: best").empty());
  const auto final = [](const std::string& section) {
    return StudyFile(with("schedule: plateau\n  horizon: 40") + "final: {seeds: 3, " + section + "}\n").errors();
  };
  CHECK_THAT(final("compare: [finish]"), Contains("cannot take up `plateau`"));
  CHECK_THAT(final("warm_start: {policy: race, race: {arms: [none, resume]}}"), Contains("cannot take up `plateau`"));
  CHECK(final("warm_start: {policy: resume}").empty());
  CHECK(final("warm_start: {policy: race}").empty());
}

TEST_CASE("a guard does not give fresh weights the donor's optimizer or schedule", "[spec][warm_start]") {
  const std::string guard = "policy: shrink_perturb, guard: {max_val_drop: 2, fallback: none}";
  CHECK_THAT(StudyFile(start(guard + ", optimizer: carry")).errors(), Contains("trained with the donor's optimizer"));
  CHECK_THAT(StudyFile(start(guard + ", schedule: remaining")).errors(), Contains("trained with the donor's schedule"));
  CHECK(StudyFile(start(guard)).errors().empty());
}

TEST_CASE("a horizon is longer than the trial", "[spec][horizon]") {
  CHECK(StudyFile(with("horizon: 40")).read().json["trial"]["horizon"] == 40);
  CHECK_FALSE(StudyFile(with("horizon: 10")).read().json["trial"].contains("horizon"));
  CHECK_THAT(StudyFile(with("horizon: 5")).errors(), Contains("the schedule would end after 5 of 10 epochs"));
}

TEST_CASE("a final training's model is one that the search's weights fit", "[spec][final]") {
  std::string trees = kTrees;
  const std::size_t width = trees.find("  width:");
  const std::string still = trees.erase(width, trees.find('\n', width) + 1 - width);
  const auto fault = [&](const std::string& final) { return StudyFile(still + final).errors(); };
  const std::string set = "set: {model.nodes.fc1.out: 40}";
  CHECK_THAT(fault("final: {" + set + "}\n"),
             Contains("weights of the search do not fit this model: E404: 'fc1.weight'"));
  CHECK_THAT(fault("final: {" + set + ", warm_start: {policy: resume}}\n"), Contains("E404"));
  CHECK_THAT(fault("final: {" + set + ", warm_start: {policy: partial, min_fraction: 0.9}}\n"), Contains("E402"));
  CHECK_THAT(fault("final: {set: {model.nodes.fc9.out: 40}}\n"), Contains("fc9"));
  CHECK_NOTHROW(StudyFile(still + "final: {" + set + ", warm_start: {policy: none}}\n").read());
  CHECK_NOTHROW(StudyFile(still + "final: {set: {optimizer.lr: 0.5}}\n").read());
}

// A place that the search varies too failed after the search, unless the best trial had this very value.
TEST_CASE("a final training sets no place by which the weights of trials differ", "[spec][final]") {
  const auto study = [](const std::string& final) { return StudyFile(std::string(kTrees) + final); };
  const std::string set = "set: {model.nodes.fc1.out: 40}";
  CHECK_THAT(study("final: {" + set + "}\n").errors(), Contains("weights of a trial with model.nodes.fc1.out") &&
                                                           Contains("do not fit this model: E404") &&
                                                           Contains("policy: partial takes what fits"));
  CHECK_NOTHROW(study("final: {" + set + ", warm_start: {policy: partial, min_fraction: 0}}\n").read());
  CHECK_NOTHROW(study("final: {" + set + ", warm_start: {policy: none}}\n").read());
  CHECK_NOTHROW(study("final: {set: {optimizer.lr: 0.5}}\n").read());
}

TEST_CASE("what ranks donors tells which way is better", "[spec][final]") {
  const std::string program =
      "study: p\nobjective: {metric: gain, direction: maximize}\nspace: {x: {type: float, low: 0, "
      "high: 1}}\ntrial: {kind: command, command: [echo, '{x}']}\n";
  const auto faults = [&](const std::string& metric) {
    return StudyFile(program + "final: {warm_start: {from: {rank_by: " + metric + "}}}\n").errors();
  };
  CHECK_THAT(faults("score"), Contains("'score' does not tell") || Contains("\"score\" does not tell"));
  CHECK(faults("gain").empty());
  CHECK(faults("reward").empty());
}

// Each of these came after the search, with a place in a temporary file.
TEST_CASE("faults of a final training are found before the search, at their place", "[spec][final]") {
  const auto fault = [](const std::string& final) { return StudyFile(std::string(kTrees) + final).errors(); };
  CHECK_THAT(fault("final:\n  warm_start: {exclude: [head, nolayer]}\n"),
             Contains("\"nolayer\" names no tensor of the model") && Contains("exclude: [head, nolayer]") &&
                 Contains("study.yaml:"));
  CHECK_THAT(fault("final: {warm_start: {include: ['(']}}\n"), Contains("is no regular expression"));
  CHECK_THAT(fault("final:\n  set:\n    optimizer.momentum: high\n"),
             Contains("in the final training") && Contains("optimizer.momentum: high"));
  CHECK_THAT(fault("final: {set: {optimizer: {op: adam}}, warm_start: {optimizer: carry}}\n"), Contains("E403"));
  CHECK_THAT(fault("final: {set: {optimizer: {op: adam}}, compare: [resume], seeds: 3}\n"), Contains("E403"));
  const std::string carries = ", warm_start: {optimizer: carry}}\n";
  CHECK_THAT(fault("final: {set: {optimizer: {op: sgd, momentum: 0.3}}" + carries), Contains("E403"));
  CHECK_THAT(fault("final: {set: {optimizer.groups: [{match: [head], frozen: true}]}" + carries), Contains("E403"));
  CHECK(fault("final: {set: {optimizer.lr: 0.3}" + carries).empty());
  CHECK_THAT(fault("final: {set: {optimizer.momentum: high}" + carries), Contains("in the final training"));
  CHECK_THAT(fault("final: {set: {data.drop: [colour]}}\n"), Contains("E404: 'fc1.weight'"));
  CHECK(fault("final: {set: {data.drop: [colour]}, warm_start: {policy: none}}\n").empty());
  CHECK_THAT(fault("final: {epochs: 10, warm_start: {policy: resume}}\n"), Contains("none of 10 remains"));
  CHECK_THAT(fault("final: {warm_start: {from: {rank_by: val.acuracy}}}\n"), Contains("val.acuracy"));
  CHECK_THAT(fault("final: {trial: 1000}\n"), Contains("there is no trial 1000"));
  std::string named = kTrees;
  named.replace(named.find("study: "), named.find('\n') - named.find("study: "), "study: " + std::string(95, 'n'));
  CHECK_THAT(StudyFile(named + "final: {epochs: 12}\n").errors(), Contains("-final' is no name for a study"));
  CHECK_NOTHROW(StudyFile(named).read());
  CHECK_NOTHROW(StudyFile(std::string(kTrees) +
                          "final: {epochs: 12, set: {batch_size: 4, optimizer.lr: 0.1}, warm_start: "
                          "{exclude: [head], optimizer: reset}}\n")
                    .read());
}

// Whoever counts epochs or seeds of a final training reads `final:`; rivals trained others.
TEST_CASE("final.set leaves to final: what its keys say", "[spec][final]") {
  const auto fault = [](const std::string& set) {
    return StudyFile(std::string(kTrees) + "final: {seeds: 2, set: {" + set + "}}\n").errors();
  };
  CHECK_THAT(fault("epochs: 8"), Contains("'final.epochs' is the key for it") && Contains("write final: {epochs: …}"));
  CHECK_THAT(fault("replicates: 3"), Contains("'final.seeds' is the key for it"));
  CHECK_THAT(fault("warm_start: {policy: fresh_shrunk}"), Contains("'final.warm_start' is the key for it"));
  CHECK_THAT(fault("folds: 2"), Contains("a final training has the folds of its search"));
  CHECK(fault("batch_size: 4").empty());
  CHECK(fault("first_replicate: 4").empty());
  CHECK_NOTHROW(StudyFile(std::string(kTrees) + "final: {of: trees/7, epochs: 4, set: {epochs: 8}}\n").read());
}

// Each was refused once the search was over.
TEST_CASE("a final training that resumes has the schedule and settings of the search", "[spec][final][resume]") {
  const auto fault = [](const std::string& trial, const std::string& final) {
    return StudyFile(with(trial) + "final: {seeds: 2, " + final + "}\n").errors();
  };
  const std::string resume = "warm_start: {policy: resume}",
                    race = "warm_start: {policy: race, race: {arms: [none, resume]}}";
  const std::string rival = "compare: [resume]";
  for (const std::string& start : {resume, race, rival}) {
    CAPTURE(start);
    CHECK_THAT(fault("batch_size: 8", "epochs: 40, " + start),
               Contains("E406") && Contains("whose schedule spans 10 epochs, but the final training has 40"));
    CHECK_THAT(fault("horizon: 40", "set: {batch_size: 4}, " + start),
               Contains("E406") && Contains("whose 'batch_size' differs") && Contains("batch_size: 4"));
    CHECK(fault("horizon: 40", start).empty());
  }
  CHECK(fault("horizon: 40", "set: {batch_size: 4}, warm_start: {policy: resume, allow_superset: true}").empty());
  CHECK(fault("batch_size: 8", "epochs: 40, warm_start: {policy: resume, from: {study: other}}").empty());
  CHECK(StudyFile(std::string(kTrees) + "  horizon: 40\nfinal: {set: {batch_size: 4}}\n").errors().empty());
}

TEST_CASE("a place that the search sets too may be the trial's own when it resumes", "[spec][final][resume]") {
  const std::string text = with("horizon: 40");
  CHECK(StudyFile(text + "final: {set: {optimizer.lr: 0.1}, warm_start: {policy: resume}}\n").errors().empty());
}

TEST_CASE("ranks go on with no training, whoever asks for it", "[spec][final][parallel]") {
  const std::string gang = "parallel: {op: bsp, ranks: 2}";
  const auto fault = [](const std::string& trial, const std::string& final) {
    return StudyFile(with(trial) + "final: {" + final + "}\n").errors();
  };
  CHECK_THAT(fault(gang, "seeds: 2, compare: [kaiming, finish]"), Contains("in the final training: several ranks"));
  CHECK_THAT(fault(gang, "epochs: 40, seeds: 2, compare: [resume]"), Contains("several ranks cannot resume"));
  CHECK_THAT(fault("batch_size: 8", "set: {" + gang + "}, warm_start: {optimizer: carry}"), Contains("several ranks"));
  CHECK_THAT(fault("horizon: 40", "set: {" + gang + "}, warm_start: {policy: resume}"), Contains("several ranks"));
  CHECK(fault(gang, "seeds: 2, compare: [best]").empty());
  CHECK(fault(gang + "\n  horizon: 40", "warm_start: {policy: race}").empty());
}

TEST_CASE("a final training begins with weights of one kind", "[spec][final]") {
  const StudyFile study(kTrees);
  study.write("w.safetensors", tensors::write_safetensors({{"head.bias", "F32", {2}, std::string(8, '\0')}}, {}));
  const std::string set = "set: {init: {from: \"" + (study.folder / "w.safetensors").string() + "\", strict: false}}";
  CHECK_THAT(StudyFile(std::string(kTrees) + "final: {" + set + "}\n").errors(),
             Contains("in the final training: a trial begins with weights of one kind"));
}

TEST_CASE("fresh weights are compared with a rival", "[spec][final]") {
  const auto fault = [](const std::string& arms, const std::string& policy) {
    return StudyFile(std::string(kTrees) + "final: {seeds: 2, compare: [" + arms + "], warm_start: {policy: " + policy +
                     "}}\n")
        .errors();
  };
  CHECK_THAT(fault("kaiming", "none"), Contains("fresh weights have no rival here"));
  CHECK(fault("kaiming, kaiming_longer", "none").empty());
  CHECK(fault("kaiming", "best").empty());
}

TEST_CASE("a best epoch's checkpoint gives weights where trials leave one", "[spec][final]") {
  const auto fault = [](const std::string& objective) {
    std::string text = kTrees;
    text.replace(text.find("{metric: val.accuracy}"), 22, objective);
    return StudyFile(text + "final: {epochs: 12, warm_start: {from: {at: best}}}\n").errors();
  };
  CHECK_THAT(fault("{metric: val.accuracy}"),
             Contains("leave no checkpoint of their best epoch") && Contains("at: best"));
  CHECK(fault("{metric: val.accuracy, at: best}").empty());
}

TEST_CASE("parameters of a program have other names than those of a comparison", "[spec][final][command]") {
  const auto fault = [](const std::string& name, const std::string& final) {
    return StudyFile("study: p\nobjective: {metric: loss, direction: minimize}\nspace: {" + name +
                     ": {type: float, low: 0, high: 1}}\ntrial: {kind: command, command: [echo, \"{" + name +
                     "}\"], epochs: 8}\nfinal: {" + final + "}\n")
        .errors();
  };
  const std::string race = "warm_start: {policy: race}", rivals = "seeds: 2, compare: [best]";
  CHECK_THAT(fault("variant", race), Contains("'variant' is a parameter of every race"));
  CHECK_THAT(fault("variant", rivals), Contains("'variant' is a parameter of every comparison"));
  CHECK_THAT(fault("replicate", race), Contains("'replicate' is a parameter of every race"));
  CHECK(fault("variant", "epochs: 9").empty());
  CHECK(fault("width", race).empty());
}

TEST_CASE("what a final training of a program sets is tried before the search", "[spec][final][command]") {
  const auto fault = [](const std::string& set) {
    return StudyFile(
               "study: p\nobjective: {metric: loss, direction: minimize}\nspace: {x: {type: float, low: 0, high: "
               "1}}\ntrial: {kind: command, command: [echo, \"{x}\"]}\nfinal: {epochs: 3, set: {" +
               set + "}}\n")
        .errors();
  };
  CHECK_THAT(fault("params.w: 5"), Contains("the trial has no place 'params.w'") && Contains("params.w: 5"));
  CHECK_THAT(fault("command: [echo, \"{nope}\"]"), Contains("'{nope}' names no parameter"));
  CHECK(fault("command: [echo, \"-{x}\"]").empty());
}

TEST_CASE("a program begins with one file, whose tensors dlrun does not know", "[spec][warm_start][command]") {
  const std::string program = R"(study: s
objective: {metric: loss, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
limits: {trials: 2}
trial:
  kind: command
  command: [echo, "{x}"]
  epochs: 3
)";
  const StudySpec plain = StudyFile(program).read();
  CHECK_FALSE(plain.json["trial"].contains("warm_start"));
  const auto begun = [&](const std::string& donors) { return program + "  warm_start: {donors: [" + donors + "]}\n"; };
  const std::string one = "{sha256: " + kHash + "}";
  const StudySpec spec = StudyFile(begun(one)).read();
  CHECK(spec.json["trial"]["warm_start"]["policy"] == "best");
  CHECK_FALSE(spec.json["trial"]["warm_start"].contains("optimizer"));
  CHECK(spec.hash != plain.hash);
  CHECK_THAT(StudyFile(begun(one + ", " + one)).errors(), Contains("'best' takes one donor"));
  CHECK_THAT(StudyFile(begun("")).errors(), Contains("'warm_start' needs donors"));
  CHECK_THAT(StudyFile(begun("{from: weights.bin}")).errors(), Contains("there is no file 'weights.bin'"));
  CHECK(StudyFile(program + "final: {epochs: 9, warm_start: {from: {at: 3}}}\n").read().hash == plain.hash);
  CHECK_NOTHROW(StudyFile(program + "final: {seeds: 2, compare: [kaiming_longer, best]}\n").read());
}

TEST_CASE("a final training may name a trial beyond its own only one", "[spec][final]") {
  const std::string one = std::string(kTrees) + "limits: {trials: 1}\n";
  CHECK_THAT(StudyFile(one + "final: {trial: 7}\n").errors(), Contains("there is no trial 7 in a search of 1"));
  CHECK_NOTHROW(StudyFile(one + "final: {trial: 7, of: trees/7}\n").read());
}

TEST_CASE("an empty final: is a final training by the defaults", "[spec][final]") {
  const auto final_of = [](const std::string& text) {
    return StudyFile(kTrees + text).read().json.value("final", Json());
  };
  CHECK(final_of("final: {}\n").is_object());
  CHECK(final_of("final: {}\n") == final_of("final: {seeds: 1}\n"));
  CHECK(final_of("final:\n").is_null());
  CHECK(final_of("").is_null());
  CHECK_THAT(StudyFile(std::string(kBranin) + "final: {}\n").errors(), Contains("only trials that train have weights"));
}

TEST_CASE("a final training is no part of a study's identity", "[spec][final]") {
  const std::string final = "final: {epochs: 40, warm_start: {policy: greedy_soup, k: 4}}\n";
  const StudySpec spec = StudyFile(kTrees + final).read();
  CHECK(spec.hash == StudyFile(kTrees).read().hash);
  CHECK(spec.json["final"]["warm_start"]["k"] == 4);
  CHECK_THAT(StudyFile(std::string(kTrees) + "final: {warm_start: {k: 4}}\n").errors(),
             Contains("'best' makes no use of 'k'"));
  CHECK_THAT(StudyFile(std::string(kTrees) + "final: {compare: [resum]}\n").errors(),
             Contains("there is no 'resum' to compare with"));
  CHECK_THAT(StudyFile(std::string(kTrees) + "final: {compare: [resume]}\n").errors(),
             Contains("one seed cannot tell rivals from luck"));
}

}  // namespace warm_start_test
