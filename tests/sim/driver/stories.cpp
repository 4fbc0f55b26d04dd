// SPDX-License-Identifier: Apache-2.0
#include "stories.hpp"

namespace dlrun::driver_sim {

namespace {

/// Twelve trials of three epochs on three workers of this machine and one of each of three others.
Scenario plain(const std::string& sections) {
  Scenario s;
  s.seed = 3;
  s.study = "study: simulated\nseed: 3\n" + sections;
  const auto add = [&](const std::string& key, const std::string& text) {
    if (("\n" + s.study).find("\n" + key + ":") == std::string::npos) s.study += key + ": " + text + "\n";
  };
  const bool trains = s.study.find("kind: train") != std::string::npos;
  if (trains) s.metric = "val.loss";
  add("objective", "{metric: " + s.metric + ", direction: minimize}");
  add("space", "{x: {type: float, low: 0, high: 1}, n: {type: int, low: 1, high: 9}}");
  add("search", "{sampler: random, lanes: 4}");
  add("limits", "{trials: 12}");
  add("retry", "{delay: 50ms}");
  add("trial", "{kind: function, function: {op: sphere}, epochs: 3}");
  s.weather = {.lives = 0, .workers = 6, .joined = 3};
  s.artifacts = "as it says";
  return s;
}

Scenario in(Scenario s, const Weather& weather) {
  s.weather = weather;
  return s;
}

Scenario of(Scenario s, const Nature& nature) {
  s.nature = nature;
  return s;
}

Scenario with(Scenario s, const std::vector<Request>& requests) {
  s.steering.requests = requests;
  return s;
}

/// The study is amended when its second driver begins, after the first was interrupted.
Scenario amended(const std::string& before, const std::string& after) {
  Scenario s = with(plain(before), {{1, 0.1, "interrupt"}});
  s.steering.amended = plain(after).study;
  return s;
}

/// A store has this study already.
Scenario after(const Scenario& earlier, Scenario s) {
  s.earlier = earlier.study;
  s.earlier.replace(s.earlier.find("simulated"), std::string("simulated").size(), "earlier");
  return s;
}

/// Trainings of rows.csv, whose values are as little measured as the others'.
Scenario training(const std::string& sections) {
  return plain(
      "trial:\n  kind: train\n  data: {op: csv, path: rows.csv, header: false, target: -1}\n"
      "  model: {nodes: [{name: fc, op: linear, out: 4}, {name: act, op: relu}, {name: head, op: linear, out: "
      "classes}]}\n"
      "  optimizer: {op: sgd, lr: 0.1, momentum: 0.5}\n  batch_size: 4\n  epochs: 4\n" +
      sections);
}

const std::string kRate = "space: {lr: {at: optimizer.lr, type: float, low: 0.001, high: 1, scale: log}}\n";

const Weather kRough{.noise = 1,
                     .death = 0.1,
                     .silence = 0.2,
                     .leaving = 0.1,
                     .transient = 0.2,
                     .lacking = 0.1,
                     .repeated = 0.3,
                     .forged = 0.2,
                     .lag = 0.05,
                     .lives = 0,
                     .workers = 6,
                     .joined = 4};

std::vector<Story> searches() {
  return {
      {"plain", plain("")},
      {"rough", in(plain(""), kRough)},
      {"keep", training(kRate + "search: {sampler: random, lanes: 4, pruner: {op: asha, eta: 2}}\n"
                                "keep: {best: 1, last: 1, rungs: false}\n")},
      {"keep-all", training(kRate + "keep: {all: true}\nlimits: {trials: 4}\n")},
      {"rungs", in(plain("search: {sampler: random, lanes: 3, pruner: {op: hyperband, eta: 2}}\n"
                         "trial: {kind: function, function: {op: sphere}, epochs: 4}\n"),
                   kRough)},
      {"best",
       of(plain("objective: {metric: value, direction: maximize, at: best}\n"), {.early = 0.5, .coarse = true})},
      {"members", in(plain("trial: {kind: function, function: {op: sphere, noise: 0.1}, epochs: 2, replicates: 3}\n"
                           "limits: {trials: 5}\n"),
                     kRough)},
      {"pbt", plain("search: {sampler: random, lanes: 2, pruner: {op: pbt, population: 3}}\nlimits: {epochs: 30}\n")},
  };
}

std::vector<Story> limits() {
  return {
      {"target", plain("limits: {trials: 100, target: 0.5}\n")},
      {"stall", plain("limits: {trials: 100, stall: 4}\n")},
      {"epochs", plain("limits: {epochs: 17}\n")},
      {"wall", in(plain("limits: {trials: 12, wall: 1s}\n"), {.epoch = 0.2, .lives = 0, .workers = 2})},
      {"failures", of(plain("limits: {trials: 12, failures: 2}\nretry: {exception: 1, nan: 0, delay: 50ms}\n"),
                      {.nan = 0.3, .exception = 0.3})},
      {"all-fail", of(plain("limits: {trials: 4}\nretry: {exception: 0, delay: 50ms}\n"), {.exception = 1})},
      {"grid", plain("search: {sampler: grid, lanes: 2}\nspace: {n: {type: int, low: 1, high: 4}}\nlimits: {}\n")},
      {"stragglers", in(plain("resources: {speculate: {factor: 1.5, after: 100ms}}\n"),
                        {.epoch = 0.1, .straggler = 0.3, .lives = 0, .workers = 5, .joined = 2})},
  };
}

std::vector<Story> people() {
  return {
      {"commands", with(of(plain("limits: {trials: 8}\n"), {.exception = 0.4}),
                        {{1, 0.05, R"({"command": "status"})"},
                         {1, 0.06, R"({"command": "cancel", "trial": 3})"},
                         {1, 0.07, R"({"command": "cancel", "trial": 300})"},
                         {1, 0.08, R"({"command": "enqueue", "values": {"x": 0.5, "n": 3}})"},
                         {1, 0.09, R"({"command": "enqueue", "values": {"x": 0.5, "n": 3}})"},
                         {1, 0.1, R"({"command": "enqueue", "values": {"x": 7}})"},
                         {1, 0.11, R"({"command": "note", "text": "odd", "trial": 1})"},
                         {1, 0.12, R"({"command": "tag", "tag": "first"})"},
                         {1, 0.13, R"({"command": "tag", "tag": "first", "remove": true})"},
                         {1, 0.14, R"({"command": "retry", "trial": 0})"},
                         {1, 0.15, R"({"command": "retry", "trial": 2})"},
                         {1, 0.16, R"({"command": "sing"})"},
                         {1, 0.17, R"({"trial": 1})"}})},
      {"stop", with(plain(""), {{1, 0.1, R"({"command": "stop", "reason": "lunch"})"}})},
      {"hand-over", with(plain(""), {{1, 0.1, R"({"command": "hand_over", "to": "another"})"}})},
      {"interrupt",
       with(in(plain(""), {.epoch = 0.2, .lives = 0, .workers = 4, .joined = 2}), {{1, 0.3, "interrupt"}})},
      {"interrupt-twice", with(in(plain(""), {.epoch = 0.5, .lives = 0, .workers = 4, .joined = 2}),
                               {{1, 0.3, "interrupt"}, {1, 0.4, "interrupt"}})},
      {"amended-limits", amended("limits: {trials: 6}\n", "limits: {trials: 9, stall: 50}\n")},
      {"amended-space", amended("space: {x: {type: float, low: 0, high: 1}}\n",
                                "space: {x: {type: float, low: 0, high: 2}}\nsearch: {sampler: tpe, lanes: 2}\n")},
  };
}

std::vector<Story> ablations() {
  const std::string parts =
      "space: {x: {type: constant, value: 0.5}}\nlimits: {}\nsearch: {lanes: 3}\n"
      "trial: {kind: function, function: {op: sphere, noise: 0.1, curve: 0.2}, epochs: 2}\n"
      "ablation:\n  components: [{id: curve, set: {function.curve: 0}}, {id: noise, set: {function.noise: 0}}]\n";
  return {
      {"ablation", plain(parts + "  replicates: {n: 3}\n")},
      {"ablation-looks", plain(parts + "  replicates: {n: 9}\n  stopping: {looks: [3, 6, 9], boundary: pocock}\n")},
      {"ablation-rounds", plain(parts + "  design: elimination\n  replicates: {n: 3}\n")},
  };
}

std::vector<Story> trainings() {
  const std::string gang = "  parallel: {op: asp, ranks: 2}\n";
  return {
      {"keep-epochs", training(kRate + "keep: {best: 0, last: 0, epochs: [2]}\nlimits: {trials: 4}\n")},
      {"training", in(training(kRate + "limits: {trials: 5}\n"), kRough)},
      {"gangs",
       in(training(gang + "space: {n: {at: parallel.ranks, type: int, low: 1, high: 5}}\nlimits: {trials: 6}\n"),
          kRough)},
      {"several",
       training("objective: [{metric: val.loss, direction: minimize}, {metric: val.accuracy, reference: 0}]\n"
                "feasible: [{metric: train.loss, max: 3.5}]\nlimits: {trials: 6}\n" +
                kRate)},
      {"stages", in(training("  schedule: {op: multi_step, milestones: [2]}\nsearch: {sampler: grid, lanes: 3}\n"
                             "space: {gamma: {at: schedule.gamma, choices: [0.1, 0.2, 0.3]}}\nlimits: {}\n"),
                    kRough)},
      {"lost-files", with(training(kRate + "search: {sampler: random, lanes: 3, pruner: {op: asha, eta: 2}}\n"
                                           "limits: {trials: 6}\n"),
                          {{1, 0.06, "lose files"}, {1, 0.15, "lose files"}})},
      {"learns", after(plain("limits: {trials: 9}\n"),
                       plain("search: {sampler: tpe, lanes: 3, learn_from: earlier}\nlimits: {trials: 5}\n"))},
      {"learns-of-less",
       after(plain("space: {x: {type: float, low: 0, high: 0.4}}\nlimits: {trials: 9}\n"),
             plain("search: {sampler: tpe, lanes: 2, learn_from: [earlier]}\nlimits: {trials: 4}\n"))},
      {"cites", after(training("reuse: trials\nsearch: {sampler: grid, lanes: 3}\nlimits: {}\n"
                               "space: {m: {at: optimizer.momentum, choices: [0.1, 0.2]}}\n"),
                      training("reuse: trials\nsearch: {sampler: grid, lanes: 3}\nlimits: {}\n"
                               "space: {m: {at: optimizer.momentum, choices: [0.2, 0.3, 0.1, 0.4]}}\n"))},
  };
}

}  // namespace

std::vector<Story> stories() {
  std::vector<Story> all;
  for (auto& some : {searches(), limits(), people(), ablations(), trainings()}) {
    for (const Story& story : some) all.push_back(story);
  }
  return all;
}

}  // namespace dlrun::driver_sim
