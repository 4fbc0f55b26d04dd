// SPDX-License-Identifier: Apache-2.0
// The simulator itself: it finds what it is there to find, and its wall times are those the design counts on.
#include "compare.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace sim_test {

using namespace dlrun;
using namespace dlrun::sim;

namespace {

/// The study of docs/logical-clock.md's cost table: ASHA, eta 3, rungs 1, 3, 9, 27, durations varying by 15 %.
double efficiency(int lanes, int workers, study::Tick slack = 300) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Scenario s;
    s.seed = seed;
    s.space = space::Space({{.name = "lr", .low = 0, .high = 1}});
    s.pruner = {{"op", "asha"}, {"eta", 3}, {"min_budget", 1}, {"max_budget", 27}};
    s.rules.seed = seed;
    s.rules.lanes = lanes;
    s.rules.objective.metric = "val.loss";
    s.rules.limits.trials = 1500;
    s.rules.epochs = 27;
    s.rules.slack = slack;
    s.rules.stride = 3000 / lanes;  // the planned mean piece: 1 + 2/3 + 6/9 + 18/27 epochs
    s.rules.cost = [](const space::Values&, std::int64_t from, std::int64_t to) { return 1000 * (to - from); };
    s.faults.noise = 0.15;
    s.workers = workers;
    const Run run = World(s).run();
    sum += run.busy / (workers * run.makespan);
  }
  return sum / 3;
}

}  // namespace

TEST_CASE("a study whose decisions depend on timing is found out", "[sim]") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Scenario s = scenario(seed);
    s.rules.arrival = true;
    found += !check(s).empty();
  }
  CHECK(found >= 20);
}

namespace {

/// The first seed whose study shows that its driver makes this mistake; 1,000 where none does.
std::uint64_t found_at(Plant plant) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Scenario s = scenario(seed);
    s.plant = plant;
    if (!check(s).empty()) return seed;
  }
  return 1000;
}

}  // namespace

TEST_CASE("a driver that counts a result before it is committed is found out within 1,000 seeds", "[sim][plant]") {
  CHECK(found_at(Plant::counted_early) < 1000);
}

TEST_CASE("a driver whose orders leave before the commit is found out within 1,000 seeds", "[sim][plant]") {
  CHECK(found_at(Plant::left_early) < 1000);
}

TEST_CASE("scenarios cover what can happen", "[sim][numbers]") {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Scenario s = scenario(seed);
    const Run run = World(s).run();
    seen["crashes"] += run.crashes;
    seen["deaths"] += run.deaths;
    seen["stale results"] += run.stale;
    seen["adopted"] += run.adopted;
    seen["copies"] += run.copies;
    seen["overtaken"] += run.overtaken;
    seen["free"] += run.free;
    const auto op = s.pruner["op"].get<std::string>();
    ++seen[s.sampler + " with " + (op == "asha" && s.pruner["type"] == "stop" ? "stopping " : "") + op];
    if (s.rules.members.count() > 1) ++seen["members"];
    for (std::int64_t i = 0; i < run.study->trial_count(); ++i) {
      const auto view = run.study->trial(trial::TrialId(i));
      ++seen[std::string(trial::to_string(view.state)) + " " + std::string(trial::to_string(view.cause))];
    }
    for (const LogRow& row : run.log) {
      const auto* event = std::get_if<study::Event>(&row);
      const auto* decision = std::get_if<study::Decision>(&row);
      if (decision && decision->donor) ++seen["heirs"];
      if (decision && decision->kind == study::DecisionKind::prune) {
        ++seen[op == "wilcoxon" ? "stopped between members" : "stopped while others go on"];
      }
      if (event && std::holds_alternative<study::StopAsked>(*event)) ++seen["stops"];
    }
  }
  for (const char* what : {"crashes",
                           "deaths",
                           "stale results",
                           "adopted",
                           "copies",
                           "overtaken",
                           "free",
                           "stops",
                           "random with none",
                           "random with asha",
                           "grid with none",
                           "grid with asha",
                           "auto with asha",
                           "random with stopping asha",
                           "grid with median",
                           "auto with percentile",
                           "grid with threshold",
                           "random with patience",
                           "auto with pasha",
                           "grid with successive_halving",
                           "random with hyperband",
                           "random with wilcoxon",
                           "random with pbt",
                           "random with pb2",
                           "heirs",
                           "members",
                           "stopped between members",
                           "stopped while others go on",
                           "completed none",
                           "pruned none",
                           "failed nan",
                           "failed exception"}) {
    INFO(what);
    CHECK(seen[what] > 0);
  }
}

namespace {

/// Which cells there are and what they measured, whatever the order.
std::map<std::string, std::string> cells_of(const Scenario& s) {
  const Run run = World(s).run();
  std::map<std::string, std::string> cells;
  for (std::int64_t i = 0; i < run.study->trial_count(); ++i) {
    const auto view = run.study->trial(trial::TrialId(i));
    cells[params(s, view.values)] = view.objective ? std::to_string(*view.objective) : "none";
  }
  return cells;
}

}  // namespace

TEST_CASE("which replicates an ablation gets does not even depend on its lanes", "[sim][ablation]") {
  std::size_t all = 0, most = 0, retuned = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Scenario s = ablation_scenario(seed);
    INFO(describe(s));
    const auto cells = cells_of(s);
    s.rules.lanes = s.rules.lanes == 1 ? 7 : 1;
    s.rules.slack *= 2;
    CHECK(cells_of(s) == cells);
    s.rules.arrival = true;
    CHECK(cells_of(s) == cells);
    retuned += s.retune.has_value();
    if (s.retune) continue;
    all += cells.size();
    most += std::size_t(*s.space.cardinality());
  }
  CHECK(all < 0.9 * double(most));  // many are settled before the last look
  CHECK(all > 0.4 * double(most));
  CHECK(retuned > 10);
}

TEST_CASE("workers are as busy as the design counts on", "[sim][efficiency]") {
  CHECK(efficiency(8, 4) == Approx(0.99).margin(0.015));
  CHECK(efficiency(16, 16, 1500) == Approx(0.91).margin(0.03));
  CHECK(efficiency(16, 8) == Approx(0.97).margin(0.02));
  CHECK(efficiency(16, 1) == Approx(1.0).margin(0.005));
}

}  // namespace sim_test
