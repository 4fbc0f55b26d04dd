// SPDX-License-Identifier: Apache-2.0
#include "place_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "arguments.hpp"
#include "graph_file.hpp"
#include "output/console.hpp"
#include "place_question.hpp"
#include "place_tables.hpp"
#include "placement/rule_learning.hpp"
#include "report/report.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace {

using namespace placement;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// One graph, and a step of each placer on it, the one device first.
struct Benched {
  std::string file;
  std::string kind;
  std::vector<Found> found;
};

Graph graph_in(const std::string& file) {
  if (is_study(file))
    throw Error(ErrorKind::usage, fmt::format("'{}' is no graph: `place bench` takes files of graphs alone", file),
                fmt::format("dlrun place {} --graph FILE writes the graph of a study", file));
  return graph_of(parse_json(read_file(file), file), file);
}

std::vector<Benched> bench(const std::vector<std::string>& files, const Question& question, Console& console) {
  std::vector<Graph> graphs;  // all are read before the first is placed, which may take long
  for (const std::string& file : files) graphs.push_back(graph_in(file));
  std::vector<Benched> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const char* const kind = kind_of(features_of(graphs[i], question.cluster, question.trains)).name;
    all.push_back({files[i], kind, answers(question, graphs[i], console)});
  }
  return all;
}

double step_of(const Found& found) { return found.cost.excess > 0 ? kNever : found.cost.seconds; }

/// The shortest step of a graph.
double best_step(const Benched& graph) {
  double best = kNever;
  for (const Found& found : graph.found) best = std::min(best, step_of(found));
  return best;
}

/// Steps of one placer along one order, over several graphs. Graphs whose memory it exceeds are left out.
struct Compared {
  int graphs = 0;
  double of_one_device = 0, over_best = 0;  ///< sums of logarithms
  double worst = 1;

  void add_graph(double step, double single, double best) {
    if (std::isinf(step)) return;
    ++graphs;
    of_one_device += single > 0 ? std::log(step / single) : 0;
    const double over = best > 0 ? step / best : 1;
    over_best += std::log(over);
    worst = std::max(worst, over);
  }
  double mean(double sum) const { return std::exp(sum / graphs); }
};

using ByPlacer = std::map<std::pair<std::string, std::string>, Compared>;

ByPlacer compared(const std::vector<Benched>& graphs, const std::string& kind) {
  ByPlacer all;
  for (const Benched& graph : graphs) {
    if (graph.kind != kind) continue;
    const double best = best_step(graph);
    for (const Found& found : graph.found) {
      const bool is_ruled = found.placer == "auto";  // along other orders from graph to graph
      all[{found.placer, is_ruled ? "" : found.order}].add_graph(step_of(found), graph.found.front().cost.seconds,
                                                                 best);
    }
  }
  return all;
}

report::Table steps_table(const std::vector<Benched>& graphs) {
  report::Table table{.title = "steps, geometric means over the graphs of a kind",
                      .columns = {"kind", "placer", "order", "graphs", "of_one_device", "over_best", "worst"}};
  for (const GraphKind& kind : graph_kinds()) {
    const std::size_t first = table.rows.size();
    for (const auto& [name, one] : compared(graphs, kind.name)) {
      const bool fits = one.graphs > 0;
      table.rows.push_back({kind.name, name.first, name.second.empty() ? Json() : Json(name.second), one.graphs,
                            fits ? ratio_of(one.mean(one.of_one_device)) : Json(),
                            fits ? ratio_of(one.mean(one.over_best)) : Json(), fits ? ratio_of(one.worst) : Json()});
    }
    std::stable_sort(table.rows.begin() + std::ptrdiff_t(first), table.rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a[5].is_null(), a[5]) < std::pair(b[5].is_null(), b[5]);
    });
  }
  return table;
}

/// Steps of greedy by its order; empty: there are none, or none fits.
OrderSteps steps_by_order(const Benched& graph) {
  OrderSteps steps{graph.kind, {}};
  for (const Found& found : graph.found) {
    if (found.placer == "greedy") steps.seconds[found.order] = step_of(found);
  }
  const bool fits =
      std::any_of(steps.seconds.begin(), steps.seconds.end(), [](const auto& one) { return !std::isinf(one.second); });
  if (!fits) steps.seconds.clear();
  return steps;
}

std::vector<OrderSteps> steps_by_order(const std::vector<Benched>& graphs, Console& console) {
  std::vector<OrderSteps> all;
  for (const Benched& graph : graphs) {
    OrderSteps steps = steps_by_order(graph);
    if (steps.seconds.empty()) {
      console.warn(fmt::format("'{}' teaches nothing: it fits no placement of greedy", graph.file));
    } else {
      all.push_back(std::move(steps));
    }
  }
  return all;
}

report::Table rules_table(const std::vector<LearnedRule>& rules) {
  report::Table table{.title = "learned rules: steps over the best order of each graph",
                      .columns = {"kind", "looks_like", "order", "graphs", "over_best", "held_out", "usual_rule"}};
  for (const LearnedRule& one : rules) {
    table.rows.push_back({one.rule.kind, kind_named(one.rule.kind).text, one.rule.order, one.graphs,
                          ratio_of(one.over_best), one.held_out ? ratio_of(*one.held_out) : Json(),
                          one.usual ? ratio_of(*one.usual) : Json()});
  }
  return table;
}

void require_greedy(const Question& question) {
  if (!question.asks("greedy") || question.orders.size() < 2)
    throw Error(ErrorKind::usage, "--learn-rules compares orders of the placer greedy",
                "leave out --placer and --order, or name greedy and two orders at least");
}

}  // namespace

int bench_placers(const std::vector<std::string>& files, const Arguments& arguments, Console& console) {
  if (files.empty()) throw Error(ErrorKind::usage, "there is no graph: write dlrun place bench GRAPH.json...");
  refuse_with_study_options({"coarsen", "effort", "expect", "microbatches", "profile", "graph", "output", "plots"},
                            arguments, "`place bench` compares placers on graphs");
  const Question question = question_of(arguments, {{"greedy", "auto", "etf", "heft"}, {"all"}});
  const bool learns = arguments.has("learn-rules");
  if (learns) require_greedy(question);
  const std::vector<Benched> graphs = bench(files, question, console);
  std::vector<report::Table> tables{steps_table(graphs)};
  std::vector<LearnedRule> rules;
  if (learns) rules = learn_rules(steps_by_order(graphs, console));
  if (learns) tables.push_back(rules_table(rules));
  console.print(tables);
  if (learns && rules.empty())
    throw Error(ErrorKind::usage, "no rule is learned: no graph fits", "allow more --memory, or more --devices");
  if (learns) write_output(arguments.text("learn-rules"), rules_text(rules));
  return 0;
}

}  // namespace dlrun::cli
