// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pruners/keys.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace dlrun::sim {

namespace {

using space::Choice;
using space::Parameter;
using space::Type;

Parameter integer(const std::string& name, double low, double high) {
  return {.name = name, .type = Type::integer, .low = low, .high = high};
}

/// An optimiser's own parameters under conditions, two deep.
std::vector<Parameter> conditional() {
  Parameter opt{.name = "opt", .type = Type::categorical, .choices = {"sgd", "adam", "lion"}};
  Parameter mom = integer("mom", 0, 4);
  mom.when = {{0, {Choice{0}, Choice{2}}}};
  Parameter nesterov{.name = "nesterov", .type = Type::categorical, .choices = {false, true}};
  nesterov.when = {{0, {Choice{0}}}, {1, {std::int64_t(3), std::int64_t(4)}}};
  return {opt, mom, nesterov};
}

space::Space draw_space(RandomStream& random, bool is_finite) {
  std::vector<Parameter> parameters;
  if (random.below(2) == 0) parameters = conditional();
  parameters.push_back(integer("width", 1, 1.0 + double(random.below(6))));
  if (random.below(2) == 0) parameters.push_back({.name = "drop", .low = 0.1, .high = 0.5, .step = 0.1});
  if (!is_finite) parameters.push_back({.name = "lr", .low = 1e-4, .high = 1, .log = true});
  return space::Space(parameters);
}

/// Half the studies have constraints; all of them can be met.
space::Space constrained(const space::Space& space, RandomStream& random) {
  std::vector<space::Constraint> constraints;
  const auto mom = space.find("mom"), width = space.find("width"), lr = space.find("lr"), drop = space.find("drop");
  if (random.below(2) == 0) return space;
  if (mom) {
    constraints.push_back({"", space::Linear{{{*mom, 1}, {*width, -1}}, space::Relation::less, 1}});
    constraints.push_back({"", space::Forbidden{{{0, {Choice{1}}, {}}, {*width, {std::int64_t(1)}, {}}}}});
  }
  if (lr && drop) constraints.push_back({"", space::Linear{{{*lr, 1}, {*drop, 1}}, space::Relation::at_most, 0.3}});
  return space::Space(space.parameters(), constraints);
}

/// Some studies ask for trials, of which a part is left to the sampler.
std::vector<space::Values> draw_asked(const space::Space& space, std::int64_t trials, RandomStream& random) {
  std::vector<space::Values> asked;
  const std::size_t width = *space.find("width");
  const auto count =
      std::min<std::uint64_t>({random.below(3), std::uint64_t(trials), std::uint64_t(*space.count(width))});
  for (std::uint64_t i = 0; i < count; ++i) {
    space::Values values(space.size());
    values[width] = space.value_at(width, *space.count(width) - 1 - std::int64_t(i));
    asked.push_back(values);
  }
  return asked;
}

template <class T>
T pick(RandomStream& random, std::initializer_list<T> values) {
  return *(values.begin() + random.below(values.size()));
}

study::Limits draw_limits(RandomStream& random) {
  study::Limits limits;
  limits.trials = 1 + std::int64_t(random.below(60));
  if (random.below(4) == 0) limits.epochs = 1 + std::int64_t(random.below(200));
  if (random.below(5) == 0) limits.target = random.uniform();
  if (random.below(4) == 0) limits.stall = 1 + std::int64_t(random.below(20));
  return limits;
}

/// Random settings; each kind of pruner reads its own of them.
Json draw_pruner(RandomStream& random) {
  Json o;
  o["op"] = pick<const char*>(random, {"none", "asha", "asha", "pasha", "successive_halving", "hyperband", "hyperband",
                                       "median", "percentile", "threshold", "patience", "wilcoxon", "pbt", "pb2"});
  o["eta"] = 2 + int(random.below(3));
  o["min_budget"] = 1 + std::int64_t(random.below(2));
  o["max_budget"] = 2 + std::int64_t(random.below(28));
  o["type"] = random.below(2) == 0 ? "stop" : "promotion";
  o["interval"] = 1 + std::int64_t(random.below(4));
  o["startup_trials"] = std::int64_t(random.below(6));
  o["min_trials"] = 1 + std::int64_t(random.below(3));
  o["percentile"] = 5 + 90 * random.uniform();
  o["upper"] = 2 * random.uniform();
  o["patience"] = std::int64_t(random.below(8));
  o["population"] = 2 + std::int64_t(random.below(9));
  o["quantile"] = 0.5 * (1 - random.uniform());
  o["alpha"] = 0.5 * (1 - random.uniform());
  o["min_delta"] = random.below(2) == 0 ? 0 : 0.05 * random.uniform();
  return o;
}

/// Faults of a moderate size, each absent in half of the seeds, so that their mixtures differ.
Faults draw_faults(RandomStream& random) {
  const auto maybe = [&](double most) { return random.below(2) == 0 ? 0.0 : most * random.uniform(); };
  Faults f;
  f.noise = maybe(0.8);
  f.straggler = maybe(0.1);
  f.death = maybe(0.3);
  f.false_alarm = maybe(0.2);
  f.transient = maybe(0.3);
  f.repeated = maybe(0.5);
  f.delay = maybe(2);
  f.crash = maybe(0.15);
  f.stop = maybe(0.05);
  f.any_order = random.below(3) == 0;
  return f;
}

/// Half the studies: a wider model costs more. In a third, gangs stand among single trials: as many ranks as the width
/// has, at the cost of one rank divided by them.
void set_cost(Scenario& s, bool is_by_width) {
  const std::size_t width = *s.space.find("width");
  const bool has_gangs = RandomStream(s.seed, {"sim", "gangs"}).below(3) == 0;
  s.rules.cost = [=](const space::Values& values, std::int64_t from, std::int64_t to) {
    const auto wide = std::get<std::int64_t>(values[width]);
    const study::Tick epoch = is_by_width ? 300 * wide : 1000;
    return (to - from) * (has_gangs ? (epoch + wide / 2) / wide : epoch);
  };
}

/// One member in most studies; enough of them for the pruner that decides between them. Who explores, by the pruner.
void draw_members(Scenario& s, RandomStream& random) {
  if (random.below(3) == 0) s.rules.members = {1 + int(random.below(3)), 1 + int(random.below(3))};
  if (s.pruner["op"] == "wilcoxon") s.rules.members = {1 + int(random.below(2)), 3 + int(random.below(4))};
  if (s.pruner["op"] == "pb2") s.rules.explorer.op = "pb2";
}

bool takes(const std::string& sampler, const space::Space& space) {
  try {
    samplers::make_sampler(sampler, space, 0);
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// An axis of every kind, and continuous ones, one of them under a condition.
space::Space mixed_space(RandomStream& random) {
  std::vector<Parameter> parameters = conditional();
  parameters.push_back(integer("width", 1, 1.0 + double(random.below(6))));
  parameters.push_back({.name = "batch", .type = Type::ordinal, .choices = {16, 32, 64}});
  parameters.push_back({.name = "units", .type = Type::integer, .low = 8, .high = 512, .log = true});
  parameters.push_back({.name = "lr", .low = 1e-4, .high = 1, .log = true});
  Parameter eps{.name = "eps", .low = 0, .high = 1};
  eps.when = {{0, {Choice{1}}}};
  parameters.push_back(eps);
  return space::Space(parameters);
}

/// Further objectives where sampler and pruner know of several, and bounds that some trials pass.
void add_goals(Scenario& s, RandomStream& random) {
  const auto knows = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool may_have = knows(samplers::sampler_names_for_several(), s.sampler) &&
                        knows(pruners::pruner_names_for_several(), s.pruner["op"].get<std::string>());
  if (may_have && random.below(2) == 0) {
    s.rules.further = {{"val.cost", random.below(2) == 0, random.below(2) == 0}};
    s.rules.limits.target.reset();
  }
  if (random.below(2) == 0) s.rules.bounds = {{"val.size", random.uniform(), random.below(2) == 0}};
}

/// Narrower or wider domains, a choice more and one less, a parameter more; constraints stay as they are.
space::Space amended_space(const space::Space& space, bool is_finite, RandomStream& random) {
  std::vector<Parameter> parameters = space.parameters();
  std::vector<space::Constraint> constraints = space.constraints();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Parameter& p = parameters[i];
    const bool is_half = p.type == Type::real && !p.step && constraints.empty() && random.below(2) == 0;
    if (is_half) p.high = p.low + (p.high - p.low) / 2;
    if (p.type == Type::integer) p.high += double(random.below(3));
    if (p.type != Type::categorical || random.below(2) == 0) continue;
    p.choices.emplace_back("another");
    if (constraints.empty()) constraints.push_back({"", space::Forbidden{{{i, {Choice{0}}, {}}}}});
  }
  if (random.below(2) == 0) parameters.push_back(integer("depth", 0, 3));
  if (random.below(2) == 0 && !is_finite) parameters.push_back({.name = "decay", .low = 0, .high = 1});
  return space::Space(parameters, constraints);
}

/// A third of the studies are amended once they are over: limits and lanes, and some of space, sampler and pruner.
void draw_amendment(Scenario& s) {
  s.amendment = nullptr;
  RandomStream random(s.seed, {"sim", "amendment"});
  if (random.below(3) != 0) return;
  study::Amendment to{s.rules, s.space, {}, {}, {}};
  to.rules.limits.trials = s.rules.limits.trials.value_or(10) + 1 + std::int64_t(random.below(8));
  if (s.rules.limits.epochs) *to.rules.limits.epochs += 20;
  to.rules.limits.target.reset();
  to.rules.lanes = 1 + int(random.below(16));
  to.rules.slack = study::Tick(random.below(6000));
  const bool is_population = s.pruner["op"] == "pbt" || s.pruner["op"] == "pb2";
  if (!is_population && random.below(2) == 0) {
    to.space = amended_space(s.space, s.space.cardinality().has_value(), random);
    if (!takes(s.sampler, to.space)) to.space = s.space;
    const space::Values defaults{std::int64_t(random.below(5)), 0.5};  // 4 is outside of depth's domain
    for (std::size_t i = s.space.size(); i < to.space.size(); ++i) {
      to.defaults.push_back(to.space.parameters()[i].name == "depth" ? defaults[0] : defaults[1]);
    }
    to.sampler = s.sampler;
  }
  if (random.below(3) == 0) to.sampler = "random";
  if (random.below(3) == 0) {
    Json settings = s.pruner;
    settings["eta"] = 2 + int(random.below(3));
    settings["min_budget"] = std::min<std::int64_t>(2, settings["max_budget"].get<std::int64_t>());
    to.pruner = pruner_of(s.rules, settings);
  }
  s.amendment = std::make_shared<const study::Amendment>(std::move(to));
}

}  // namespace

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (const std::string& sampler : samplers::sampler_names()) {
    for (const std::string& pruner : pruners::pruner_names()) pairs.push_back({sampler, pruner, false});
    pairs.push_back({sampler, "asha", true});
  }
  return pairs;
}

Scenario scenario(std::uint64_t seed, const Pair& pair) {
  RandomStream random(seed, {"sim", "pair"});
  Scenario s = scenario(seed);
  s.sampler = pair.sampler;
  s.pruner["op"] = pair.pruner;
  s.pruner["type"] = pair.stops ? "stop" : "promotion";
  draw_members(s, random);
  s.space = random.below(2) == 0 ? mixed_space(random) : draw_space(random, random.below(2) == 0);
  if (!takes(s.sampler, s.space)) s.space = draw_space(random, true);
  s.rules.enqueue.clear();  // they were points of another space
  set_cost(s, random.below(2) == 0);
  s.rules.further.clear();
  s.rules.bounds.clear();
  if (random.below(2) == 0) add_goals(s, random);
  s.space = constrained(s.space, random);
  s.rules.limits.trials = 20 + std::int64_t(random.below(20));  // beyond what samplers draw at random first
  if (s.sampler == "gp") s.rules.limits.trials = 20;            // its proposals cost a hundred others
  s.rules.enqueue = draw_asked(s.space, *s.rules.limits.trials, random);
  draw_amendment(s);
  return s;
}

Scenario scenario(std::uint64_t seed) {
  RandomStream random(seed, {"sim", "scenario"});
  Scenario s;
  s.seed = seed;
  const auto names = samplers::sampler_names();
  s.sampler =
      random.below(2) == 0 ? pick<const char*>(random, {"random", "grid", "auto"}) : names[random.below(names.size())];
  if (s.sampler == "gp" && random.below(8) != 0) s.sampler = "random";  // its proposals cost a hundred others
  s.space = draw_space(random, s.sampler == "grid" || random.below(3) == 0);
  s.pruner = draw_pruner(random);
  s.rules.seed = seed;
  s.rules.lanes = 1 + int(random.below(16));
  s.rules.slack = study::Tick(random.below(6000));
  s.rules.objective = {"val.loss", random.below(2) == 0, random.below(2) == 0};
  s.rules.limits = draw_limits(random);
  s.rules.retries = {{trial::Cause::worker_lost, 1000}, {trial::Cause::signal, 1}, {trial::Cause::exception, 1}};
  draw_members(s, random);
  s.rules.epochs = s.pruner["max_budget"].get<std::int64_t>();
  set_cost(s, random.below(2) != 0);
  s.nature = {.nan = 0.15 * random.uniform(),
              .exception = 0.1 * random.uniform(),
              .early = 0.15 * random.uniform(),
              .coarse = random.below(2) == 0};
  s.faults = draw_faults(random);
  s.workers = 1 + int(random.below(64));
  if (RandomStream stride(seed, {"sim", "stride"}); stride.below(2) == 0)
    s.rules.stride = study::Tick(stride.below(2000));
  if (RandomStream copies(seed, {"sim", "copies"}); copies.below(2) == 0) s.faults.copy = copies.uniform();
  RandomStream wishes(seed, {"sim", "wishes"});
  s.space = constrained(s.space, wishes);
  s.rules.enqueue = draw_asked(s.space, *s.rules.limits.trials, wishes);
  if (random.below(3) == 0) add_goals(s, random);
  draw_amendment(s);
  return s;
}

namespace {

/// Cells (replicate, variant); the last look is at all replicates.
space::Space draw_cells(RandomStream& random, std::vector<int>& looks) {
  const int first = 2 + int(random.below(3)), step = 1 + int(random.below(3));
  for (std::uint64_t i = 0; i < 2 + random.below(4); ++i) looks.push_back(first + step * int(i));
  Parameter variant{.name = "variant", .type = Type::categorical};
  for (std::uint64_t v = 0; v < 2 + random.below(6); ++v) variant.choices.push_back("v" + std::to_string(v));
  return space::Space({integer("replicate", 1, looks.back()), variant});
}

/// Each variant is worth something of its own; each cell has its noise, by replicate and settings.
double cell_metric(std::uint64_t seed, const space::Space& space, const space::Values& values, std::int64_t epoch) {
  Json rest = space.params(values);
  const std::string variant = rest["variant"].get<std::string>();
  rest.erase("variant");
  RandomStream worth(seed, {"sim", "worth", variant});
  RandomStream noise(seed, {"sim", "cell", variant, to_text(rest)});
  const double effect = worth.below(3) == 0 ? 0 : 4 * worth.normal();
  return effect + noise.normal() + 1 / double(epoch);
}

/// All sets of two to four components, each of which is worth something of its own.
void make_rounds(Scenario& s, RandomStream& random) {
  const int components = 2 + int(random.below(3));
  Parameter variant{.name = "variant", .type = Type::categorical};
  samplers::RoundOptions rounds{0, 1, {components, random.below(2) == 0, s.rules.objective.maximize}};
  for (statistics::OffSet set = 0; set < 1U << components; ++set) {
    variant.choices.push_back("v" + std::to_string(set));
    if (set == 0 || random.below(8) != 0) rounds.rules.variants[set] = set;  // some cannot be built
  }
  rounds.rules.variants[(1U << components) - 1] = (1U << components) - 1;
  if (random.below(2) == 0) rounds.rules.tolerance = random.uniform();
  s.space = space::Space({integer("replicate", 1, 1 + std::int64_t(random.below(4))), variant});
  s.cells.reset();
  s.rounds = rounds;
}

/// The cells with settings to be tuned before: some variants lack one of them.
void make_retuned(Scenario& s, RandomStream& random) {
  const auto variants = std::uint32_t(*s.space.count(1));
  Parameter purpose{.name = "purpose", .type = Type::categorical, .choices = {"comparison", "tuning"}};
  Parameter replicate = s.space.parameters()[0], variant = s.space.parameters()[1];
  replicate.when = {{0, {Choice{0}}}};
  Parameter lr{.name = "lr", .low = 1e-4, .high = 1, .log = true}, width = integer("width", 1, 3);
  Parameter tuning{.name = "tuning", .type = Type::ordinal, .choices = {1}};
  tuning.when = {{0, {Choice{1}}}};
  if (random.below(2) == 0) {
    for (int k = 2; k <= int(replicate.high); ++k) tuning.choices.emplace_back(k);
  }
  lr.when = {{3, {}}};
  for (std::uint32_t v = 0; v < variants; ++v) {
    if (v == 0 || random.below(3) != 0) lr.when[0].any_of.push_back(Choice{v});
  }
  s.space = space::Space({purpose, tuning, replicate, variant, lr, width});
  s.cells->replicate = 2;
  s.cells->variant = 3;
  s.cells->after_baseline = false;
  const char* const sampler = random.below(2) == 0 ? "random" : "tpe";
  s.retune = {0, 1, 2 + std::int64_t(random.below(6)), sampler, *s.cells};
}

}  // namespace

Scenario ablation_scenario(std::uint64_t seed) {
  Scenario s = scenario(seed);
  RandomStream random(seed, {"sim", "ablation"});
  s.pruner["op"] = "none";
  s.rules.enqueue.clear();
  s.rules.further.clear();
  s.rules.bounds.clear();
  s.rules.limits = {};
  s.rules.epochs = 1 + std::int64_t(random.below(3));
  s.rules.members = {1, 1 + int(random.below(2))};
  s.amendment = nullptr;
  statistics::AnalysisOptions analysis{.alpha = 0.2, .rope = random.below(2) == 0 ? 0 : 2 * random.uniform()};
  s.space = draw_cells(random, analysis.looks.at);
  if (random.below(2) == 0) analysis.looks.boundary = statistics::Boundary::pocock;
  analysis.maximize = s.rules.objective.maximize;
  s.cells = {0, 1, statistics::sequential_rules(analysis, int(*s.space.count(1)) - 1), random.below(3) == 0};
  if (random.below(3) == 0) {
    make_rounds(s, random);
  } else if (random.below(3) == 0) {
    make_retuned(s, random);
  }
  const std::size_t variant = *s.space.find("variant");
  s.rules.cost = [variant](const space::Values& values, std::int64_t from, std::int64_t to) {
    return (to - from) * (1000 - 50 * std::int64_t(std::get<space::Choice>(values[variant]).index));
  };
  s.nature.metric = [seed, space = s.space](const space::Values& values, std::int64_t epoch) {
    return cell_metric(seed, space, values, epoch);
  };
  return s;
}

Scenario undisturbed(Scenario scenario) {
  scenario.faults = {};
  scenario.plant = Plant::none;
  scenario.workers = 1;
  return scenario;
}

namespace {

std::unique_ptr<samplers::Sampler> sampler_of(const Scenario& s) {
  if (s.retune) return std::make_unique<samplers::RetuneSampler>(s.space, *s.retune, s.rules.seed);
  if (s.cells) return std::make_unique<samplers::CellSampler>(s.space, *s.cells);
  if (s.rounds) return std::make_unique<samplers::RoundSampler>(s.space, *s.rounds);
  return samplers::make_sampler(s.sampler, s.space, s.rules.seed);
}

}  // namespace

pruners::PrunerOptions pruner_of(const study::Rules& rules, const Json& settings) {
  return {.kind = pruners::read_pruner(settings),
          .study = {.by_score = !rules.further.empty() || !rules.bounds.empty(),
                    .maximize = rules.objective.maximize,
                    .members = rules.members.count()}};
}

study::Study make_study(const Scenario& s) {
  return study::Study(s.rules, s.space, sampler_of(s), pruners::make_pruner(pruner_of(s.rules, s.pruner)));
}

std::string params(const Scenario& s, space::Values values) {
  const space::Space& space = s.amendment ? s.amendment->space : s.space;  // it has all choices
  values.resize(s.space.size());
  values.resize(space.size());
  return to_text(space.params(values));
}

std::string describe(const Scenario& s) {
  const auto of = [&](const char* key) {
    const Json value = s.pruner.value(key, Json());
    return value.is_string() ? value.get<std::string>() : to_text(value);
  };
  return fmt::format(
      "seed {}: {} and {}{} (eta {}, {} to {} every {}), {} parameters, {} x {} members, {} lanes on {} workers, slack "
      "{}, stride {}, order {}; "
      "{}noise {:.2f}, "
      "death {:.2f}, crash {:.2f}, stop {:.2f}, copy {:.2f}",
      s.seed,
      s.retune   ? "retuned cells"
      : s.cells  ? "cells"
      : s.rounds ? "rounds"
                 : s.sampler,
      of("type") == "stop" ? "stopping " : "", of("op"), of("eta"), of("min_budget"), of("max_budget"), of("interval"),
      s.space.size(), s.rules.members.replicates, s.rules.members.folds, s.rules.lanes, s.workers, s.rules.slack,
      s.rules.stride, s.rules.arrival ? "arrival" : "logical", s.amendment ? "amended, " : "", s.faults.noise,
      s.faults.death, s.faults.crash, s.faults.stop, s.faults.copy);
}

}  // namespace dlrun::sim
