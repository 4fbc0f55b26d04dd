// SPDX-License-Identifier: Apache-2.0
#include "weather.hpp"

#include <fmt/format.h>

#include "util/json.hpp"
#include "util/random.hpp"

namespace dlrun::driver_sim {

namespace {

template <class T>
T pick(RandomStream& random, std::initializer_list<T> values) {
  return *(values.begin() + random.below(values.size()));
}

Json draw_space(RandomStream& random) {
  Json space;
  space["x"] = {{"type", "float"}, {"low", -1.0}, {"high", 1.0}};
  if (random.below(2) == 0) space["y"] = {{"type", "float"}, {"low", 1e-3}, {"high", 1.0}, {"scale", "log"}};
  space["n"] = {{"type", "int"}, {"low", 1}, {"high", 2 + std::int64_t(random.below(40))}};
  return space;
}

Json draw_pruner(RandomStream& random, std::int64_t epochs) {
  Json p;
  p["op"] = pick<const char*>(random, {"none", "asha", "asha", "pasha", "successive_halving", "hyperband", "median",
                                       "percentile", "patience", "pbt"});
  const std::string op = p["op"];
  if (op == "none") return p;
  p["max_budget"] = epochs;
  if (op == "asha" || op == "pasha" || op == "successive_halving" || op == "hyperband") {
    p["eta"] = 2 + std::int64_t(random.below(2));
    if (op == "asha") p["type"] = pick<const char*>(random, {"promotion", "stop"});
    return p;
  }
  p["interval"] = epochs % 2 == 0 ? 2 : 1;
  if (op == "median" || op == "percentile") p["startup_trials"] = std::int64_t(random.below(5));
  if (op == "percentile") p["percentile"] = 50;
  if (op == "patience") p["patience"] = std::int64_t(random.below(std::uint64_t(epochs - 1)));
  if (op == "pbt") p["population"] = 2;
  return p;
}

std::string draw_study(std::uint64_t seed, RandomStream& random) {
  const std::int64_t epochs = 2 + std::int64_t(random.below(9));
  Json study;
  study["study"] = "simulated";
  study["seed"] = seed;
  study["objective"] = {{"metric", "value"},
                        {"direction", pick<const char*>(random, {"minimize", "maximize"})},
                        {"at", pick<const char*>(random, {"last", "best"})}};
  study["space"] = draw_space(random);
  study["search"] = {{"sampler", pick<const char*>(random, {"random", "random", "tpe", "auto", "grid"})},
                     {"pruner", draw_pruner(random, epochs)},
                     {"lanes", 1 + std::int64_t(random.below(12))}};
  if (study["search"]["sampler"] == "grid") study["space"].erase("y"), study["space"].erase("x");
  study["limits"] = {{"trials", 1 + std::int64_t(random.below(40))}};
  if (study["search"]["pruner"]["op"] == "pbt") study["limits"] = {{"epochs", 20 + std::int64_t(random.below(100))}};
  if (random.below(4) == 0) study["limits"]["stall"] = 3 + std::int64_t(random.below(15));
  study["retry"] = {
      {"worker_lost", 1000}, {"signal", 1}, {"exception", std::int64_t(random.below(2))}, {"delay", 0.05}};
  study["resources"] = {{"speculate", {{"factor", 2.0}, {"after", 0.1}}}};
  study["trial"] = {{"kind", "function"}, {"function", {{"op", "sphere"}}}, {"epochs", epochs}};
  return to_text(study);
}

/// The same question of trainings: n is a number of ranks. Gangs stand among single trials.
std::string with_gangs(const std::string& text) {
  Json study = Json::parse(text);
  study["objective"]["metric"] = "val.loss";
  Json& space = study["space"];
  if (space.contains("x")) space["x"] = {{"at", "optimizer.lr"}, {"type", "float"}, {"low", 1e-3}, {"high", 1.0}};
  if (space.contains("y")) space["y"].update({{"at", "optimizer.momentum"}, {"high", 0.9}});
  space["n"]["at"] = "parallel.ranks";
  const Json model = {{"nodes", {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}}}}};
  study["trial"] = {{"kind", "train"},
                    {"data", {{"op", "csv"}, {"path", "rows.csv"}, {"header", false}, {"target", -1}}},
                    {"model", model},
                    {"optimizer", {{"op", "sgd"}, {"lr", 0.1}, {"momentum", 0.5}}},
                    {"batch_size", 2},
                    {"epochs", study["trial"]["epochs"]},
                    {"parallel", {{"op", "asp"}, {"ranks", 2}}}};
  return to_text(study);
}

/// Each kind of trouble is absent in half of the seeds, so that their mixtures differ.
Weather draw_weather(RandomStream& random) {
  const auto maybe = [&](double most) { return random.below(2) == 0 ? 0.0 : most * random.uniform(); };
  Weather w;
  w.epoch = pick(random, {0.002, 0.02, 0.1});
  w.noise = maybe(2);
  w.straggler = maybe(0.1);
  w.death = maybe(0.15);
  w.silence = maybe(0.15);
  w.leaving = maybe(0.1);
  w.transient = maybe(0.3);
  w.lacking = maybe(0.1);
  w.repeated = maybe(0.5);
  w.forged = maybe(0.2);
  w.lag = maybe(0.3);
  w.lives = int(random.below(5));
  w.calls = 20 + std::int64_t(random.below(4000));
  w.power = maybe(1);
  w.disk = maybe(0.003);
  w.interrupt = maybe(0.5);
  w.stop = maybe(0.5);
  w.revoke = maybe(0.3);
  w.remarks = maybe(1);
  w.workers = 1 + int(random.below(12));
  w.joined = int(random.below(std::uint64_t(w.workers) + 1));
  return w;
}

/// More trials, other lanes; a population keeps its limit of epochs.
std::string amended(const std::string& text, RandomStream& random) {
  Json study = Json::parse(text);
  if (study["limits"].contains("trials")) study["limits"]["trials"] = study["limits"]["trials"].get<int>() + 7;
  if (study["limits"].contains("epochs")) study["limits"]["epochs"] = study["limits"]["epochs"].get<int>() + 30;
  study["search"]["lanes"] = 1 + std::int64_t(random.below(12));
  return to_text(study);
}

/// A quarter of the studies are steered.
Steering draw_steering(const std::string& study, RandomStream& random) {
  Steering steering;
  if (random.below(4) != 0) return steering;
  steering.commands = random.uniform();
  if (random.below(2) == 0) steering.amended = amended(study, random);
  return steering;
}

}  // namespace

Scenario scenario(std::uint64_t seed) {
  RandomStream random(seed, {"driver_sim", "scenario"});
  Scenario s;
  s.seed = seed;
  s.study = draw_study(seed, random);
  const bool is_population = Json::parse(s.study)["search"]["pruner"]["op"] == "pbt";
  s.has_gangs = !is_population && RandomStream(seed, {"driver_sim", "gangs"}).below(4) == 0;
  if (s.has_gangs) s.study = with_gangs(s.study);
  if (s.has_gangs) s.metric = "val.loss";
  s.nature = {.nan = 0.15 * random.uniform(),
              .exception = 0.1 * random.uniform(),
              .early = 0.15 * random.uniform(),
              .coarse = random.below(2) == 0};
  s.weather = draw_weather(random);
  RandomStream people(seed, {"driver_sim", "people"});
  s.steering = draw_steering(s.study, people);
  return s;
}

Scenario undisturbed(Scenario scenario) {
  scenario.weather = Weather{.epoch = scenario.weather.epoch, .lives = 0};
  return scenario;
}

std::string describe(const Scenario& s) {
  const Weather& w = s.weather;
  return fmt::format(
      "seed {}: {} workers ({} joined), epochs of {} s, {} deaths of drivers within {} calls\n  {}\n"
      "  noise {:.2f} straggler {:.2f} death {:.2f} silence {:.2f} leaving {:.2f} transient {:.2f} lacking {:.2f} "
      "repeated {:.2f} forged {:.2f} lag {:.2f} power {:.2f} disk {:.4f} interrupt {:.2f} stop {:.2f} revoke {:.2f}",
      s.seed, w.workers, w.joined, w.epoch, w.lives, w.calls, s.study, w.noise, w.straggler, w.death, w.silence,
      w.leaving, w.transient, w.lacking, w.repeated, w.forged, w.lag, w.power, w.disk, w.interrupt, w.stop, w.revoke);
}

}  // namespace dlrun::driver_sim
