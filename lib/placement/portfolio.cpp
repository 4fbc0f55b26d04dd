// SPDX-License-Identifier: Apache-2.0
#include "placement/portfolio.hpp"

#include <algorithm>
#include <limits>

#include "placement/annealing.hpp"
#include "placement/baselines.hpp"
#include "placement/cross_entropy.hpp"
#include "placement/cuts.hpp"
#include "placement/list_scheduling.hpp"
#include "placement/named.hpp"
#include "placement/reinforce.hpp"
#include "placement/sequential.hpp"
#include "placement/small_communication.hpp"
#include "util/error.hpp"

namespace dlrun::placement {

namespace {

constexpr int kAnyNumber = std::numeric_limits<int>::max();

/// The graph of a step of inference: no node has a backward pass.
Graph forward_only(Graph graph) {
  for (Node& node : graph.nodes) node.backward = 0;
  return graph;
}

class Portfolio {
 public:
  explicit Portfolio(const Request& request)
      : request_(request),
        forward_(request.trains ? Graph() : forward_only(request.graph)),
        graph_(request.trains ? request.graph : forward_),
        step_(request.trains ? training_step(graph_) : inference_step(graph_)),
        evaluator_(step_, request.cluster, request.evaluations) {}

  std::vector<Found> place() {
    add_single();
    for (const NamedPlacer& placer : named_placers()) {
      const bool is_asked =
          std::find(request_.placers.begin(), request_.placers.end(), placer.name) != request_.placers.end();
      if (!is_asked || placer.name == std::string("single")) continue;
      if (placer.name == std::string("auto")) try_placer(placer.name, &ruled_order());
      if (!placer.follows_order && placer.name != std::string("auto")) try_placer(placer.name, nullptr);
      for (const std::string& order : request_.orders) {
        if (placer.follows_order) try_placer(placer.name, &order_named(order));
      }
    }
    return std::move(found_);
  }

 private:
  int devices() const { return request_.cluster.size(); }

  /// The best of the devices, each alone.
  void add_single() {
    evaluator_.begin_anew();
    evaluator_.allow(devices());
    const std::int64_t before = evaluator_.tried();
    for (int device = 0; device < devices(); ++device) evaluator_.cost(on_one(graph_, device));
    found_.push_back({"single", "", evaluator_.best(), evaluator_.best_cost(), evaluator_.tried() - before});
  }

  const NamedOrder& ruled_order() const {
    return order_named(rule_for(features_of(graph_, request_.cluster, request_.trains), request_.rules).order);
  }

  void try_placer(const std::string& placer, const NamedOrder* order) {
    if (request_.watch)
      request_.watch(Found{placer, order == nullptr ? "" : order->name, {}, {}}.text(), best_of(found_));
    const Found start = start_of(placer);
    evaluator_.begin_anew();
    evaluator_.allow(request_.evaluations);
    const std::int64_t before = evaluator_.tried();
    Proof proof;
    if (placer == "exact") proof = prove(start);
    if (placer == "anneal") try_as_found(best_of(found_));
    search(placer, order == nullptr ? Order() : order->of(graph_), order == nullptr ? "" : order->name,
           start.placement);
    found_.push_back({placer, order == nullptr ? "" : order->name, evaluator_.best(), evaluator_.best_cost(),
                      evaluator_.tried() - before, proof, evaluator_.best_turns()});
  }

  Found start_of(const std::string& placer) const {
    if (placer == "exact") return best_of(found_);
    return placer == "anneal" ? best_by_longest_way() : found_.front();
  }

  /// The placement with the fastest step where devices take tasks by their longest way, which is how annealing judges.
  Found best_by_longest_way() const {
    Evaluator judge(step_, request_.cluster, std::int64_t(found_.size()));
    judge.serve_by(Discipline::longest_way);
    std::vector<Found> judged = found_;
    for (Found& one : judged) one.cost = judge.cost(one.placement);
    return best_of(judged);
  }

  void try_as_found(const Found& found) { evaluator_.cost(found.placement, found.turns); }

  Proof prove(const Found& start) {
    if (!start.turns.tasks.empty()) try_as_found(start);
    return find_exact(evaluator_, graph_, start.placement, request_.prover);
  }

  void search(const std::string& placer, const Order& order, const std::string& name, const Placement& start) {
    RandomStream chance(request_.seed, {"place", placer, name});
    if (placer == "round-robin") evaluator_.cost(round_robin(order, devices()));
    if (placer == "split") evaluator_.cost(cut_by_work(graph_, order, request_.cluster));
    if (placer == "memory-fill") evaluator_.cost(fill_memory(graph_, order, request_.cluster));
    if (placer == "etf") try_both(earliest_task_first(step_, request_.cluster));
    if (placer == "sct") try_both(small_communication_times(step_, request_.cluster, favourites()));
    if (placer == "heft") try_both(earliest_finish(step_, request_.cluster));
    if (placer == "metis") try_cuts(evaluator_, graph_);
    if (placer == "greedy" || placer == "auto") be_greedy(evaluator_.deciding(order), start);
    if (placer == "uniform") uniform_walk(evaluator_, evaluator_.deciding(order), start, kAnyNumber, chance);
    if (placer == "reinforce") Reinforce(evaluator_, graph_, evaluator_.deciding(order), chance).learn(start);
    if (placer == "cross-entropy") cross_entropy(evaluator_, graph_, order, start, chance);
    if (placer == "anneal") anneal_from(start, chance);
  }

  /// First come, first served until nothing gains, and on from there by the longest way.
  void be_greedy(const Order& order, const Placement& start) {
    const Placement found = greedy(evaluator_, order, start, kAnyNumber);
    if (evaluator_.is_spent()) return;
    evaluator_.serve_by(Discipline::longest_way);
    greedy(evaluator_, order, found, kAnyNumber);
  }

  void anneal_from(const Placement& start, RandomStream& chance) {
    evaluator_.serve_by(Discipline::longest_way);
    anneal(evaluator_, graph_, kahn(graph_), start, evaluator_.left() - 1, chance);
  }

  /// First come, first served, and in the schedule's order.
  void try_both(const Schedule& schedule) {
    evaluator_.cost(schedule.placement);
    evaluator_.cost(schedule.placement, {schedule.tasks});
  }

  Favourites favourites() const {
    if (request_.favourites) return request_.favourites(graph_, request_.cluster, request_.trains);
    throw Error(ErrorKind::usage, "sct needs the solver CP-SAT, which only dlrun place asks",
                "dlrun place STUDY.yaml --placer sct --output FILE, then placement: {op: file, path: FILE}");
  }

  const Request& request_;
  Graph forward_;       ///< the request's graph without backward passes, if the step has none
  const Graph& graph_;  ///< work that orders and placers count
  Step step_;
  Evaluator evaluator_;
  std::vector<Found> found_;
};

}  // namespace

const std::vector<NamedPlacer>& named_placers() {
  static const std::vector<NamedPlacer> all = {
      {"single", "all on one device, the best of them", false, true},
      {"round-robin", "one device after another along the order", true, true, false, true},
      {"split", "the order cut into pieces of equal work", true, true, false, true},
      {"memory-fill", "the order cut into pieces of equal bytes (m-TOPO)", true, true, false, true},
      {"etf", "earliest task first (m-ETF)", false, true},
      {"sct", "earliest task first, but devices wait for favourite children, by CP-SAT (m-SCT)", false, false, true},
      {"heft", "earliest finish by longest way to the end (HEFT)", false, true},
      {"metis", "parts of equal work with few bytes between them, by METIS", false, true, false, false, true},
      {"greedy", "each node of the order to its best device, until nothing gains", true, true, false, false, true},
      {"auto", "greedy along the one order that the rules name for such a graph", false, false, false, false, true},
      {"uniform", "a random walk along the order, from the best so far", true, false, false, false, true},
      {"reinforce", "a policy that learns along the order from its rewards (Placeto)", true, false, false, false, true},
      {"cross-entropy", "tables of probabilities that move to the best tenth of what they draw", true, false, false,
       false, true},
      {"anneal", "simulated annealing, from the best of the others", false, true, false, false, true},
      {"exact", "the best, and a bound that no placement beats, by CP-SAT; up to 12 nodes without it", false, false,
       false, false, true},
  };
  return all;
}

const NamedPlacer& placer_named(const std::string& name) { return named(named_placers(), name, "placer"); }

Outcome played(const Found& found, const Step& step, const Cluster& cluster) {
  return outcome_of(step, cluster, found.placement, found.turns);
}

std::vector<Found> place(const Request& request) { return Portfolio(request).place(); }

const Found& best_of(const std::vector<Found>& found) {
  return *std::min_element(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.cost < b.cost; });
}

}  // namespace dlrun::placement
