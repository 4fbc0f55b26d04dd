// SPDX-License-Identifier: Apache-2.0
// dlrun place STUDY.yaml, dlrun place GRAPH.json: which layer on which device, and how long a step takes then.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "arguments.hpp"
#include "driver/profile.hpp"
#include "exact/by_solver.hpp"
#include "layer_graph.hpp"
#include "output/console.hpp"
#include "place_pipeline.hpp"
#include "place_profile.hpp"
#include "place_workload.hpp"
#include "placement/branching.hpp"
#include "placement/coarsening.hpp"
#include "placement/portfolio.hpp"
#include "placement/ranks.hpp"
#include "placement/rules.hpp"
#include "placement/workload.hpp"
#include "placement_file.hpp"
#include "report/report.hpp"
#include "solver.hpp"
#include "study_source.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/units.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr const char* kUsualLink = "pcie3";
constexpr std::int64_t kUsualTries = 20'000;
constexpr std::int64_t kMostDevices = 64;
constexpr double kProvenWithin = 1;  ///< percent

double rounded_to(double value, double digits) { return std::round(value * digits) / digits; }
Json step_milliseconds(double seconds) { return rounded_to(seconds * 1e3, 1e3); }
Json ratio_of(double value) { return rounded_to(value, 1e3); }

Graph graph_of(const Json& json, const std::string& file) {
  try {
    return read_graph(json);
  } catch (const Error& fault) {
    throw Error(fault.kind(), file + ": " + fault.what(), fault.hint());
  }
}

/// Names that are asked for, or all that `is_usual`.
template <class Named, class Find, class IsUsual>
std::vector<std::string> names_of(const std::vector<std::string>& asked, const std::vector<Named>& all, Find find,
                                  IsUsual is_usual) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (name != "all") names.emplace_back(find(name).name);
  }
  const bool wants_all = std::find(asked.begin(), asked.end(), "all") != asked.end();
  for (const Named& one : all) {
    if (wants_all || (asked.empty() && is_usual(one))) names.emplace_back(one.name);
  }
  return names;
}

int device_count(const Arguments& arguments) {
  const std::int64_t count = arguments.number("devices", 2, 1);
  if (count > kMostDevices)
    throw Error(ErrorKind::usage, fmt::format("--devices {} is more than {}", count, kMostDevices));
  return int(count);
}

Cluster cluster_of(const Arguments& arguments) {
  const char* const usual = arguments.has("profile") ? "threads" : kUsualLink;
  const std::int64_t megabytes = arguments.number("memory", 0, 1);
  return equal_devices(device_count(arguments), arguments.text("link", usual), megabytes * 1'000'000);
}

report::Table graph_table(const Graph& graph, const Cluster& cluster, const Bounds& bounds, double single) {
  double bytes = 0;
  for (const Node& node : graph.nodes) bytes += double(node.param_bytes);
  return {.title = fmt::format("the graph '{}'", graph.name),
          .columns = {"what", "value"},
          .rows = {{"nodes", graph.size()},
                   {"edges", graph.edges.size()},
                   {"depth", depth_of(graph)},
                   {"parameters", bytes_text(bytes)},
                   {"devices", cluster.size()},
                   {"link", cluster.link.name},
                   {"one_device_ms", step_milliseconds(single)},
                   {"critical_path_ms", step_milliseconds(bounds.critical_path)},
                   {"work_over_devices_ms", step_milliseconds(bounds.work)},
                   {"largest_node_ms", step_milliseconds(bounds.largest)}}};
}

std::string peaks_text(const std::vector<std::int64_t>& peaks) {
  std::string text;
  for (const std::int64_t peak : peaks)
    text += (text.empty() ? "" : " ") + std::to_string((peak + 500'000) / 1'000'000);
  return text;
}

std::vector<Json> row_of(const Found& found, const Outcome& outcome, double single, double bound) {
  const auto used = std::count_if(outcome.busy.begin(), outcome.busy.end(), [](double busy) { return busy > 0; });
  return {found.placer,
          found.order.empty() ? Json() : Json(found.order),
          step_milliseconds(found.cost.seconds),
          ratio_of(single > 0 ? found.cost.seconds / single : 1),
          ratio_of(bound > 0 ? found.cost.seconds / bound - 1 : 0),
          found.cost.excess <= 0,
          used,
          rounded_to(double(outcome.sent) / 1e6, 1e3),
          outcome.transfers,
          peaks_text(outcome.peak),
          found.evaluations};
}

/// Seconds that no placement beats, as far as it is known.
double bound_of(const Bounds& bounds, const std::vector<Found>& all) {
  double bound = bounds.most();
  for (const Found& found : all) bound = std::max(bound, found.bound);
  return bound;
}

report::Table found_table(const std::vector<Found>& all, const Step& step, const Cluster& cluster, double bound) {
  report::Table table{.title = "placements, the fastest first",
                      .columns = {"placer", "order", "step_ms", "of_one_device", "over_bound", "fits", "used",
                                  "sent_MB", "transfers", "peak_MB", "tried"}};
  std::vector<Found> sorted = all;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Found& a, const Found& b) { return a.cost < b.cost; });
  Simulator simulator(step, cluster);
  const double single = all.front().cost.seconds;
  for (const Found& found : sorted)
    table.rows.push_back(row_of(found, simulator.outcome(found.placement), single, bound));
  return table;
}

/// One line on what to do.
void advise(const Found& best, const Found& single, Console& console) {
  if (best.cost.excess > 0) return console.warn("no placement fits: allow more --memory, or more --devices");
  if (best.cost.excess == single.cost.excess && best.cost.seconds >= single.cost.seconds)
    return console.note("one device is fastest for a whole batch");
  const std::string by = best.order.empty() ? best.placer : best.placer + " along " + best.order;
  if (single.cost.excess > 0) return console.note(fmt::format("it does not fit on one device; fastest: {}", by));
  console.note(fmt::format("fastest: {}, {:.1f} % less than on one device", by,
                           100 * (1 - best.cost.seconds / single.cost.seconds)));
}

/// How good the best placement is, where that was proven.
void tell_proof(const Found& best, const std::vector<Found>& all, double bound, Console& console) {
  const auto proof = std::find_if(all.begin(), all.end(), [](const Found& found) { return found.bound > 0; });
  if (proof == all.end() || best.cost.excess > 0) return;
  const double above = 100 * (best.cost.seconds / bound - 1);
  const std::string fact = fmt::format("no placement takes less than {:.3f} ms; the fastest is {:.2f} % above that",
                                       bound * 1e3, std::max(0.0, above));
  console.note((above <= kProvenWithin ? "proven: " : "not proven to be the best: ") + fact);
}

/// Settings of all placers.
struct Question {
  Cluster cluster;
  bool trains = true;
  std::vector<std::string> orders, placers;
  std::int64_t tries = 0;
  std::uint64_t seed = 0;
  double effort = 0;

  bool asks(const char* placer) const { return std::find(placers.begin(), placers.end(), placer) != placers.end(); }
  Step step_of(const Graph& graph) const { return trains ? training_step(graph) : inference_step(graph); }
};

Question question_of(const Arguments& arguments) {
  const auto orders = names_of(arguments.list("order"), named_orders(), order_named,
                               [](const NamedOrder& order) { return order.is_in_paper; });
  const auto placers = names_of(arguments.list("placer"), named_placers(), placer_named,
                                [](const NamedPlacer& placer) { return placer.is_usual; });
  Question question{cluster_of(arguments),
                    !arguments.has("inference"),
                    orders,
                    placers,
                    arguments.number("tries", kUsualTries, 1),
                    std::uint64_t(arguments.number("seed", 1, 0)),
                    double(arguments.number("effort", kUsualEffort, 1))};
  if (arguments.has("effort") && !question.asks("exact"))
    throw Error(ErrorKind::usage, "--effort changes nothing without --placer exact");
  return question;
}

/// CP-SAT, if it is needed.
std::optional<cpsat::Solver> solver_for(const Question& question, const Graph& graph) {
  if (!question.asks("exact") || graph.size() <= kMostBranchedNodes) return {};
  return found_solver(fmt::format("exact, for {} nodes and not {} at most,", graph.size(), kMostBranchedNodes));
}

std::vector<Found> answers(const Question& question, const Graph& graph) {
  const auto solver = solver_for(question, graph);
  return place({graph, question.cluster, question.trains, question.orders, question.placers, question.tries,
                question.seed, solver ? exact::prover(*solver, question.effort) : Prover()});
}

/// The graph that is placed: itself, or a coarser one.
Coarse coarse_of(const Graph& graph, const Arguments& arguments) {
  if (arguments.has("coarsen")) return coarsened(graph, int(arguments.number("coarsen", 0, 1)));
  Coarse same{graph, {}};
  for (int node = 0; node < graph.size(); ++node) same.node_of.push_back(node);
  return same;
}

/// Placements of a coarse graph as those of all nodes.
std::vector<Found> on_all_nodes(std::vector<Found> found, const Coarse& coarse) {
  for (Found& one : found) one.placement = coarse.expanded(one.placement);
  return found;
}

/// The best placement of a coarse graph, on all nodes.
Found on_all_nodes(const Found& found, const Coarse& coarse, const Graph& graph, const Question& question) {
  Found whole = found;
  whole.placement = coarse.expanded(found.placement);
  const Step step = question.step_of(graph);
  whole.cost = Evaluator(step, question.cluster, 1).cost(whole.placement);
  return whole;
}

void tell_whole(const Found& whole, const Graph& graph, Console& console) {
  console.note(fmt::format("on all {} nodes the fastest takes {:.3f} ms{}", graph.size(), whole.cost.seconds * 1e3,
                           whole.cost.excess > 0 ? ", but does not fit" : ""));
}

/// One more table about what was found.
using Further = std::function<report::Table(const Cluster&, const std::vector<Found>&)>;

int place_graph(const Graph& graph, const Arguments& arguments, Console& console, const Further& further = {}) {
  const Question question = question_of(arguments);
  const Coarse coarse = coarse_of(graph, arguments);
  const std::vector<Found> found = answers(question, coarse.graph);
  const Found& best = best_of(found);
  if (question.asks("auto")) {
    const Features features = features_of(coarse.graph, question.cluster);
    console.note(reason_of(rule_for(features), features));
  }
  const Found whole = on_all_nodes(best, coarse, graph, question);
  if (arguments.has("graph")) write_output(arguments.text("graph"), graph_text(graph));
  if (arguments.has("output")) write_output(arguments.text("output"), placement_text(graph, question.cluster, whole));
  const Bounds bounds = bounds_of(coarse.graph, question.cluster, question.trains);
  const double bound = bound_of(bounds, found);
  std::vector<report::Table> tables{graph_table(coarse.graph, question.cluster, bounds, found.front().cost.seconds),
                                    found_table(found, question.step_of(coarse.graph), question.cluster, bound)};
  if (const int parts = part_count(arguments); parts > 0)
    tables.push_back(pipeline_table(coarse.graph, question.cluster, found, parts, console));
  if (further) tables.push_back(further(question.cluster, on_all_nodes(found, coarse)));
  console.print(tables);
  advise(best, found.front(), console);
  tell_proof(best, found, bound, console);
  if (arguments.has("coarsen")) tell_whole(whole, graph, console);
  return whole.cost.excess > 0 ? 1 : 0;
}

bool is_study(const std::string& file) { return file.ends_with(".yaml") || file.ends_with(".yml"); }

/// The model of a study, its layers timed here and now.
/// @param busy  other devices that compute meanwhile
Graph measured_graph(const spec::StudySpec& spec, std::int64_t busy, Console& console) {
  trial::ProfileOptions options;
  options.busy = busy;
  const trial::ModelProfile profile = driver::profile(spec, options);
  const std::string beside = busy > 0 ? fmt::format(" beside {} that did the same", busy) : "";
  console.note(fmt::format("{} layers timed on {}{}, medians of {} steps of {} examples", profile.layers.size(),
                           profile.runtime.device, beside, profile.steps, profile.batch));
  return layer_graph(spec, profile);
}

/// Devices are parts of this machine: all compute while layers are timed, and real steps are shown.
int place_here(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  if (arguments.has("inference"))
    throw Error(ErrorKind::usage, "--profile times training steps, and --inference has none", "remove one of the two");
  const Graph idle = measured_graph(spec, 0, console);
  const Graph busy = measured_graph(spec, device_count(arguments) - 1, console);
  return place_graph(busy, arguments, console, [&](const Cluster& cluster, const std::vector<Found>& found) {
    return real_steps({spec, busy, idle, cluster}, found);
  });
}

int place_study(const std::string& file, const Arguments& arguments, Console& console) {
  const spec::StudySpec spec = unplaced(read_study(file, arguments, console));
  if (arguments.has("profile")) return place_here(spec, arguments, console);
  return place_graph(measured_graph(spec, 0, console), arguments, console);
}

void refuse_of_study(const Arguments& arguments) {
  std::vector<std::string> names{"graph", "profile"};
  for (const Option& option : study_options()) names.push_back(option.name);
  for (const std::string& name : names) {
    if (arguments.has(name))
      throw Error(ErrorKind::usage, fmt::format("--{} changes nothing: '{}' is no study", name, arguments.words()[0]),
                  "studies end with .yaml");
  }
}

int run_place(const Arguments& arguments, Console& console) {
  const std::string file = arguments.words()[0];
  if (is_study(file)) return place_study(file, arguments, console);
  refuse_of_study(arguments);
  const Json json = parse_json(read_file(file), file);
  if (is_workload(json)) return place_workload(json, arguments, console);
  return place_graph(graph_of(json, file), arguments, console);
}

/// "topo (topological: …), …"
template <class Named>
std::string list_text(const std::vector<Named>& all) {
  std::string text;
  for (const Named& one : all) text += fmt::format("\n  {}: {}", one.name, one.text);
  return text;
}

std::vector<Option> placing_options() {
  return {
      {.name = "devices", .value = "N", .text = "equal devices (default: 2)", .letter = 'n'},
      {.name = "link",
       .value = "NAME",
       .text = "between any two: pcie3 (default), pcie4, nvlink3, eth10, placeto-k80 or threads",
       .choices = link_names()},
      {.name = "memory", .value = "MB", .text = "of each device (default: no limit)"},
      {.name = "placer",
       .value = "NAME",
       .text = "a placer, or all (default: all but auto, uniform, reinforce, cross-entropy and exact)",
       .repeats = true},
      {.name = "order",
       .value = "NAME",
       .text = "a traversal order, or all (default: the six of Wang et al. 2022)",
       .repeats = true},
      {.name = "tries",
       .value = "N",
       .text = "placements that each searching placer tries on each order (default: 20000)"},
      {.name = "seed", .value = "N", .text = "of what is drawn at random (default: 1)"},
      {.name = "coarsen", .value = "N", .text = "merge nodes until N are left, and place those"},
      {.name = "effort",
       .value = "N",
       .text = "of the solver's own clock that exact takes at most, a few seconds each (default: 20)"},
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
       .kind = Kind::file},
      {.name = "output",
       .value = "FILE",
       .text = "write the fastest placement as JSON",
       .kind = Kind::file,
       .letter = 'o'},
      format_option()};
}

std::vector<Option> place_options() {
  std::vector<Option> all = study_options();
  const std::vector<Option> own = placing_options();
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace

Verb place_verb() {
  return {
      .name = "place",
      .summary = "find which layer of a model computes on which device",
      .text =
          "Takes the model of a study, whose layers it times on this machine, or a graph of layers with their costs "
          "(JSON, format dlrun-graph-1). Lets every placer place it along every order, and predicts the time of a "
          "step by simulation: the same for the same graph, on every machine. docs/placement.md says what is "
          "simulated.\n\nPlacers:" +
          list_text(named_placers()) + "\n\nOrders:" + list_text(named_orders()),
      .arguments = {{.name = "STUDY.yaml|GRAPH.json", .text = "a study, or a graph", .kind = Kind::file}},
      .options = place_options(),
      .examples = {{"dlrun place study.yaml --devices 2 --graph graph.json", "a study's model, timed here"},
                   {"dlrun place resnet50.json --devices 4", "the fastest of all placers"},
                   {"dlrun place nmt.json --placer greedy --order all", "one placer along every order"}},
      .run = run_place};
}

}  // namespace dlrun::cli
