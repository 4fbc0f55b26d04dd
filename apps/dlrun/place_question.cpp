// SPDX-License-Identifier: Apache-2.0
#include "place_question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cluster_file.hpp"
#include "exact/by_solver.hpp"
#include "exact/favourites.hpp"
#include "graph_file.hpp"
#include "output/console.hpp"
#include "place_progress.hpp"
#include "placement/branching.hpp"
#include "placement/orders.hpp"
#include "silenced_output.hpp"
#include "solver.hpp"
#include "study_source.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

using namespace placement;

namespace {

constexpr std::int64_t kUsualSctEffort = 1;  // more shortens few steps, docs/placement.md
constexpr std::int64_t kUsualTries = 20'000;
constexpr double kMostExpected = 1e9;  ///< milliseconds, eleven days

void add_once(const std::string& name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Names that are asked for, each once, or all that `is_usual`.
template <class Named, class Find, class IsUsual>
std::vector<std::string> names_of(const std::vector<std::string>& asked, const std::vector<Named>& all, Find find,
                                  IsUsual is_usual) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (name != "all") add_once(find(name).name, names);
  }
  const bool wants_all = std::find(asked.begin(), asked.end(), "all") != asked.end();
  for (const Named& one : all) {
    if (wants_all || (asked.empty() && is_usual(one))) add_once(one.name, names);
  }
  return names;
}

/// Refuses options for facts that a cluster's file has.
void refuse_beside_cluster(const Arguments& arguments) {
  for (const std::string option : {"devices", "link", "memory", "profile"}) {
    if (arguments.has(option))
      throw Error(ErrorKind::usage, "--" + option + " cannot stand beside --cluster, whose file says what devices are");
  }
}

Cluster cluster_of(const Arguments& arguments) {
  if (arguments.has("cluster")) {
    refuse_beside_cluster(arguments);
    return read_cluster(arguments.text("cluster"));
  }
  const char* const usual = arguments.has("profile") ? "threads" : kUsualLink;
  const std::int64_t megabytes = arguments.number("memory", 0, 1);
  return equal_devices(device_count(arguments), arguments.text("link", usual), megabytes * 1'000'000);
}

/// @throws Error(usage) where nobody uses the guess
double expected_seconds(const Arguments& arguments, const Question& question) {
  if (!arguments.has("expect")) return 0;
  const double milliseconds = arguments.amount("expect", "milliseconds", kMostExpected);
  if (!question.asks("exact")) throw Error(ErrorKind::usage, "--expect changes nothing without --placer exact");
  return milliseconds / 1e3;
}

/// @throws Error(usage) where nobody asks for an order by rules
Rules rules_of(const Arguments& arguments, const Question& question) {
  if (!arguments.has("rules")) return usual_rules();
  if (!question.asks("auto")) throw Error(ErrorKind::usage, "--rules changes nothing without --placer auto");
  return rules_in(arguments.text("rules"));
}

/// @throws Error(usage) unless one of the placers is such
void require_placer(const std::string& option, bool NamedPlacer::*is_such, const Question& question) {
  const auto asked = [&](const std::string& name) { return placer_named(name).*is_such; };
  if (std::any_of(question.placers.begin(), question.placers.end(), asked)) return;
  std::vector<std::string> names;
  for (const NamedPlacer& one : named_placers()) {
    if (one.*is_such) names.emplace_back(one.name);
  }
  throw Error(ErrorKind::usage, fmt::format("--{} changes nothing for these placers", option),
              fmt::format("it is for {}", fmt::join(names, ", ")));
}

/// Settings of CP-SAT, without which small graphs are placed.
void refuse_of_solver(const Question& question, const Graph& graph) {
  if (graph.size() > kMostBranchedNodes) return;
  const auto refuse = [&](const char* option) {
    throw Error(ErrorKind::usage,
                fmt::format("--{} changes nothing: all placements of {} nodes are tried", option, graph.size()),
                fmt::format("it is for graphs of more than {} nodes", kMostBranchedNodes));
  };
  if (question.expected > 0) refuse("expect");
  if (question.names_effort && !question.asks("sct")) refuse("effort");
}

/// CP-SAT, if it is needed.
std::optional<cpsat::Solver> solver_for(const Question& question, const Graph& graph) {
  if (question.asks("sct")) return found_solver("sct");
  if (!question.asks("exact") || graph.size() <= kMostBranchedNodes) return {};
  return found_solver(fmt::format("exact, for {} nodes and not {} at most,", graph.size(), kMostBranchedNodes));
}

std::vector<Option> placing_options() {
  return {
      {.name = "devices", .value = "N", .text = "equal devices (default: 2)", .letter = 'n'},
      {.name = "link",
       .value = "NAME",
       .text = "between any two: pcie3 (default), pcie4, nvlink3, eth10, placeto-k80 or threads",
       .choices = link_names()},
      {.name = "memory", .value = "MB", .text = "of each device (default: no limit)"},
      {.name = "cluster",
       .value = "FILE",
       .text = "devices that differ in speed, memory and links, in YAML; see docs/placement.md",
       .kind = Kind::file},
      {.name = "placer",
       .value = "NAME",
       .text = "a placer, or all (default: all but sct, auto, uniform, reinforce, cross-entropy and exact)",
       .repeats = true},
      {.name = "order",
       .value = "NAME",
       .text = "a traversal order, or all (default: the six of Wang et al. 2022)",
       .repeats = true},
      {.name = "rules",
       .value = "FILE",
       .text = "of auto: which order for which graphs, as --learn-rules has written it",
       .kind = Kind::file},
      {.name = "learn-rules",
       .value = "FILE",
       .text = "of bench: write for each kind of these graphs the order under which greedy's steps are shortest",
       .kind = Kind::file,
       .writes = true},
      {.name = "tries",
       .value = "N",
       .text = "placements that each searching placer tries on each order (default: 20000)"},
      {.name = "seed", .value = "N", .text = "of what is drawn at random (default: 1)"},
      {.name = "coarsen", .value = "N", .text = "merge nodes until N are left, and place those"},
      {.name = "effort",
       .value = "N",
       .text = "of the solver's own clock that exact and sct each take at most, a few seconds each (default: 20, for "
               "sct 1)"},
      {.name = "expect",
       .value = "MS",
       .text = "milliseconds of the fastest step, as you guess: exact begins its proof there"},
      {.name = "microbatches",
       .value = "M",
       .text = "cut a step's batch into M parts, and show placements as pipelines too (GPipe, 1F1B)"},
      {.name = "inference", .text = "a step forward alone; else forward and backward"},
      {.name = "profile",
       .text = "of a study: devices are parts of this machine (--link threads); layers are timed while all compute, "
               "and real steps are taken"},
      {.name = "graph",
       .value = "FILE",
       .text = "write the graph of a study's model, with the costs that were measured",
       .kind = Kind::file,
       .writes = true},
      output_option("write the fastest placement as JSON"),
      {.name = "force", .text = "replace the files of --graph, --output and --learn-rules"},
      {.name = "plots",
       .value = "DIR",
       .text = "draw the fastest placement: step.svg and step.png by gnuplot, graph.svg by graphviz",
       .kind = Kind::folder,
       .writes = true},
      format_option()};
}

}  // namespace

int device_count(const Arguments& arguments) {
  const std::int64_t count = arguments.number("devices", 2, 1);
  if (count > kMostDevices)
    throw Error(ErrorKind::usage, fmt::format("--devices {} is more than {}", count, kMostDevices));
  return int(count);
}

Question question_of(const Arguments& arguments, const UsualNames& usual) {
  const auto orders = names_of(arguments.has("order") ? arguments.list("order") : usual.orders, named_orders(),
                               order_named, [](const NamedOrder& order) { return order.is_in_paper; });
  const auto placers = names_of(arguments.has("placer") ? arguments.list("placer") : usual.placers, named_placers(),
                                placer_named, [](const NamedPlacer& placer) { return placer.is_usual; });
  Question question{cluster_of(arguments),
                    !arguments.has("inference"),
                    orders,
                    placers,
                    arguments.number("tries", kUsualTries, 1),
                    std::uint64_t(arguments.number("seed", 1, 0)),
                    double(arguments.number("effort", kUsualEffort, 1)),
                    double(arguments.number("effort", kUsualSctEffort, 1))};
  if (arguments.has("effort") && !question.asks("exact") && !question.asks("sct"))
    throw Error(ErrorKind::usage, "--effort changes nothing without --placer exact or sct");
  if (arguments.has("tries")) require_placer("tries", &NamedPlacer::searches, question);
  if (arguments.has("order")) require_placer("order", &NamedPlacer::follows_order, question);
  question.names_effort = arguments.has("effort");
  question.rules = rules_of(arguments, question);
  question.expected = expected_seconds(arguments, question);
  return question;
}

std::vector<Found> answers(const Question& question, const Graph& graph, const Console& console) {
  refuse_of_solver(question, graph);
  const auto solver = solver_for(question, graph);
  PlaceProgress progress(console);
  Request request{graph,          question.cluster, question.trains, question.orders, question.placers,
                  question.tries, question.seed};
  if (solver) {
    request.prover = exact::prover(*solver, {question.effort, question.expected});
    request.favourites = exact::favourite_finder(*solver, question.sct_effort);
  }
  request.rules = question.rules;
  request.watch = [&](const std::string& what, const Found& best) { progress.show(what, best); };
  const SilencedOutput silenced;
  return place(request);
}

void refuse_with_study_options(std::vector<std::string> names, const Arguments& arguments, const std::string& why,
                               const std::string& hint) {
  for (const Option& option : study_options()) names.push_back(option.name);
  for (const std::string& name : names) {
    if (arguments.has(name)) throw Error(ErrorKind::usage, fmt::format("--{} changes nothing: {}", name, why), hint);
  }
}

std::vector<Option> place_options() {
  std::vector<Option> all = study_options();
  const std::vector<Option> own = placing_options();
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace dlrun::cli
