// SPDX-License-Identifier: Apache-2.0
// dlrun place STUDY.yaml, dlrun place GRAPH.json: which layer on which device, and how long a step takes then.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "arguments.hpp"
#include "driver/profile.hpp"
#include "graph_file.hpp"
#include "layer_graph.hpp"
#include "new_file.hpp"
#include "output/console.hpp"
#include "place_bench.hpp"
#include "place_pipeline.hpp"
#include "place_profile.hpp"
#include "place_question.hpp"
#include "place_tables.hpp"
#include "place_workload.hpp"
#include "placement/coarsening.hpp"
#include "placement/portfolio.hpp"
#include "placement/rules.hpp"
#include "placement/workload.hpp"
#include "placement_file.hpp"
#include "placement_pictures.hpp"
#include "report/placement_drawing.hpp"
#include "report/report.hpp"
#include "solver.hpp"
#include "study_source.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr double kProvenWithin = 1;  ///< percent

/// One line on what to do.
/// @param is_piped  whether a pipeline fits
void advise(const Found& best, const Found& single, bool is_piped, Console& console) {
  if (best.cost.excess > 0 && is_piped) return console.note("no placement fits for a whole batch; pipelines do");
  if (best.cost.excess > 0) return console.warn("no placement fits: allow more --memory, or more --devices");
  if (best.cost.excess == single.cost.excess && best.cost.seconds >= single.cost.seconds)
    return console.note("one device is fastest for a whole batch");
  const std::string by = best.text();
  if (single.cost.excess > 0) return console.note(fmt::format("it does not fit on one device; fastest: {}", by));
  console.note(fmt::format("fastest: {}, {:.1f} % less than on one device", by,
                           100 * (1 - best.cost.seconds / single.cost.seconds)));
}

/// Says it if a placer that is to try all placements gave up.
void tell_spent(const std::vector<Found>& all, Console& console) {
  const auto spent = std::find_if(all.begin(), all.end(), [](const Found& found) { return found.proof.is_spent; });
  if (spent == all.end()) return;
  console.note(fmt::format("not proven to be the best: {} placements were tried; --tries {} tries more",
                           spent->evaluations, 10 * spent->evaluations));
}

/// How good the best placement is, where that was proven.
void tell_proof(const Found& best, const std::vector<Found>& all, double bound, Console& console) {
  const auto proof = std::find_if(all.begin(), all.end(), [](const Found& found) { return found.proof.seconds > 0; });
  if (proof == all.end() || best.cost.excess > 0) return;
  const double above = 100 * (best.cost.seconds / bound - 1);
  const std::string fact = fmt::format("no placement takes less than {:.3f} ms; the fastest is {:.2f} % above that",
                                       bound * 1e3, std::max(0.0, above));
  const Proof& spent = proof->proof;
  const std::string by = spent.is_by_solver ? fmt::format(" (effort {:.4f}, {} branches)", spent.effort, spent.branches)
                                            : " (first come, first served)";
  console.note((above <= kProvenWithin ? "proven: " : "not proven to be the best: ") + fact + by);
}

/// The graph that is placed: itself, or a coarser one.
Coarse coarse_of(const Graph& graph, const Arguments& arguments) {
  const std::int64_t most = arguments.number("coarsen", graph.size(), 1);
  if (most < graph.size()) return coarsened(graph, int(most));
  Coarse same{graph, {}};
  for (int node = 0; node < graph.size(); ++node) same.node_of.push_back(node);
  return same;
}

bool has_merged(const Coarse& coarse) { return coarse.graph.size() < int(coarse.node_of.size()); }

/// Placements of a coarse graph as those of all nodes, without the turns of merged ones.
std::vector<Found> on_all_nodes(std::vector<Found> found, const Coarse& coarse) {
  for (Found& one : found) {
    one.placement = coarse.expanded(one.placement);
    if (has_merged(coarse)) one.turns = {};
  }
  return found;
}

/// The best placement of a coarse graph, on all nodes.
Found on_all_nodes(const Found& found, const Coarse& coarse, const Graph& graph, const Question& question) {
  if (!has_merged(coarse)) return found;
  Found whole = on_all_nodes(std::vector{found}, coarse).front();
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

void write_placement(const Found& whole, const Graph& graph, const Question& question, const Arguments& arguments) {
  if (arguments.has("output"))
    write_output(arguments.text("output"), placement_text(graph, question.cluster, whole, question.trains));
}

/// Options, checked before the layers of a study are timed, which takes long.
Question checked_question(const Arguments& arguments) {
  Question question = question_of(arguments);
  part_count(arguments);
  arguments.number("coarsen", 1, 1);
  if (question.asks("sct")) found_solver("sct");
  return question;
}

int place_graph(const Graph& graph, const Question& question, const Arguments& arguments, Console& console,
                const Further& further = {}) {
  const int parts = part_count(arguments);
  const Coarse coarse = coarse_of(graph, arguments);
  if (arguments.has("plots")) report::require_drawable(coarse.graph);
  const std::vector<Found> found = answers(question, coarse.graph, console);
  const Found& best = best_of(found);
  if (question.asks("auto")) {
    const Features features = features_of(coarse.graph, question.cluster, question.trains);
    console.note(reason_of(rule_for(features, question.rules), features));
  }
  const Found whole = on_all_nodes(best, coarse, graph, question);
  const Bounds bounds = bounds_of(coarse.graph, question.cluster, question.trains);
  const double bound = bound_of(bounds, found);
  std::vector<report::Table> tables{graph_table(coarse.graph, question.cluster, bounds, found.front().cost.seconds),
                                    found_table(found, question.step_of(coarse.graph), question.cluster, bound)};
  if (arguments.has("cluster")) tables.push_back(device_table(best, question.step_of(coarse.graph), question.cluster));
  const report::Table pipelines = pipeline_table(coarse.graph, question.cluster, found, parts, console);
  if (!pipelines.rows.empty()) tables.push_back(pipelines);
  if (further) tables.push_back(further(question.cluster, on_all_nodes(found, coarse)));
  console.print(tables);
  write_placement(whole, graph, question, arguments);
  if (parts > 0) require_pipeline(pipelines, found);
  if (arguments.has("plots")) draw_placement(best, coarse.graph, question, arguments, console);
  advise(best, found.front(), some_fits(pipelines), console);
  tell_spent(found, console);
  tell_proof(best, found, bound, console);
  if (arguments.has("coarsen")) tell_whole(whole, graph, console);
  return whole.cost.excess > 0 && !some_fits(pipelines) ? 1 : 0;
}

void keep_graph(const Graph& graph, const Arguments& arguments) {
  if (arguments.has("graph")) write_output(arguments.text("graph"), graph_text(graph));
}

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
  const Question question = checked_question(arguments);
  const Graph idle = measured_graph(spec, 0, console);
  const Graph busy = measured_graph(spec, device_count(arguments) - 1, console);
  keep_graph(busy, arguments);
  return place_graph(busy, question, arguments, console, [&](const Cluster& cluster, const std::vector<Found>& found) {
    return real_steps({spec, busy, idle, cluster}, found);
  });
}

int place_study(const std::string& file, const Arguments& arguments, Console& console) {
  const spec::StudySpec spec = unplaced(read_study(file, arguments, console));
  if (arguments.has("profile")) return place_here(spec, arguments, console);
  const Question question = checked_question(arguments);
  const Graph graph = measured_graph(spec, 0, console);
  keep_graph(graph, arguments);
  return place_graph(graph, question, arguments, console);
}

void refuse_of_bench(const Arguments& arguments) {
  if (arguments.words().size() > 1)
    throw Error(ErrorKind::usage, "a single study or graph is placed",
                "dlrun place bench GRAPH.json... compares several");
  if (arguments.has("learn-rules"))
    throw Error(ErrorKind::usage, "--learn-rules changes nothing without `bench`: dlrun place bench GRAPH.json...");
}

/// Checks the file that an option names. Standard output has the tables.
void require_file_of(const std::string& option, const Arguments& arguments) {
  const std::string file = arguments.text(option);
  if (file == "-")
    throw Error(ErrorKind::usage, fmt::format("--{} needs a file: standard output has the tables", option),
                "name a file");
  is_special(file) ? require_folder(file) : require_target(file, arguments.has("force"));
}

/// Checks the files of results before the work.
void require_files(const Arguments& arguments) {
  bool has_any = false;
  for (const std::string option : {"output", "graph", "learn-rules"}) {
    if (!arguments.has(option)) continue;
    has_any = true;
    require_file_of(option, arguments);
  }
  if (arguments.has("force") && !has_any)
    throw Error(ErrorKind::usage, "--force changes nothing without --output, --graph or --learn-rules", "remove it");
}

int run_place(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& words = arguments.words();
  const std::string& file = words[0];
  require_files(arguments);
  if (file == "bench") return bench_placers({words.begin() + 1, words.end()}, arguments, console);
  refuse_of_bench(arguments);
  if (is_study(file)) return place_study(file, arguments, console);
  refuse_with_study_options({"graph", "profile"}, arguments, fmt::format("'{}' is no study", file),
                            "studies end with .yaml");
  const Json json = parse_json(read_file(file), file);
  if (is_workload(json)) return place_workload(json, file, arguments, console);
  return place_graph(graph_of(json, file), question_of(arguments), arguments, console);
}

/// "topo (topological: …), …"
template <class Named>
std::string list_text(const std::vector<Named>& all) {
  std::string text;
  for (const Named& one : all) text += fmt::format("\n  {}: {}", one.name, one.text);
  return text;
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
      .arguments = {{.name = "STUDY.yaml|GRAPH.json",
                     .text =
                         "a study, or a graph; or `bench` and several graphs, on which placers and orders are compared",
                     .kind = Kind::file,
                     .most = -1}},
      .options = place_options(),
      .examples = {{"dlrun place study.yaml --devices 2 --graph graph.json", "a study's model, timed here"},
                   {"dlrun place resnet50.json --devices 4", "the fastest of all placers"},
                   {"dlrun place nmt.json --cluster cluster.yaml", "on devices that differ"},
                   {"dlrun place nmt.json --placer greedy --order all", "one placer along every order"},
                   {"dlrun place bench graphs/*.json --learn-rules rules.json", "the best order for graphs like these"},
                   {"dlrun place nmt.json --placer auto --rules rules.json", "along the order that they name"}},
      .run = run_place};
}

}  // namespace dlrun::cli
