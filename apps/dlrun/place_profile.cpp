// SPDX-License-Identifier: Apache-2.0
#include "place_profile.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "driver/profile.hpp"
#include "place_tables.hpp"
#include "placement_file.hpp"

namespace dlrun::cli {

namespace {

using placement::Found;

constexpr std::size_t kFastest = 2;

/// Distinct placements and turns: the fastest ones, the slowest, and one device, in this order.
std::vector<const Found*> worth_running(const std::vector<Found>& found) {
  std::vector<const Found*> sorted;
  for (const Found& one : found) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Found* a, const Found* b) { return a->cost < b->cost; });
  std::set<std::pair<placement::Placement, placement::Lists>> seen;
  std::erase_if(sorted, [&](const Found* one) { return !seen.insert({one->placement, one->turns.tasks}).second; });
  if (sorted.size() <= kFastest + 1) return sorted;
  std::vector<const Found*> chosen(sorted.begin(), sorted.begin() + kFastest);
  chosen.push_back(sorted.back());
  const bool has_single = std::any_of(chosen.begin(), chosen.end(),
                                      [&](const Found* one) { return one->placement == found.front().placement; });
  if (!has_single) chosen.push_back(&found.front());
  return chosen;
}

spec::StudySpec placed_study(const Profiled& profiled, const Found& found) {
  spec::StudySpec spec = profiled.spec;
  Json nodes = Json::object();
  for (int node = 0; node < profiled.busy.size(); ++node)
    nodes[profiled.busy.nodes[std::size_t(node)].name] = found.placement[std::size_t(node)];
  spec.json["trial"]["placement"] = {{"op", "file"},
                                     {"path", "the placement"},
                                     {"nodes", nodes},
                                     {"forward", names_in_turn(profiled.busy, found.turns, false)},
                                     {"backward", names_in_turn(profiled.busy, found.turns, true)}};
  spec.devices = profiled.cluster.size();
  return spec;
}

/// Forward and backward, of which the simulated step consists.
double real_seconds(const Profiled& profiled, const Found& found) {
  double seconds = 0;
  for (const trial::PhaseProfile& phase : driver::profile(placed_study(profiled, found), {}).phases) {
    if (phase.name == "forward" || phase.name == "backward") seconds += phase.seconds;
  }
  return seconds;
}

/// As the trainer takes it.
double predicted(const placement::Graph& graph, const placement::Cluster& cluster, const Found& found) {
  Found trained = found;
  trained.turns = placement::pass_by_pass(found.turns, graph.size());
  return placement::played(trained, placement::training_step(graph), cluster).seconds;
}

Json per_cent(double predicted, double real) { return std::round(1000 * (predicted / real - 1)) / 10; }

}  // namespace

spec::StudySpec unplaced(spec::StudySpec spec) {
  spec.json["trial"].erase("placement");
  spec.devices.reset();
  return spec;
}

report::Table real_steps(const Profiled& profiled, const std::vector<Found>& found) {
  report::Table table{
      .title = "forward and backward of real steps, medians of 30",
      .columns = {"placer", "order", "real_ms", "predicted_ms", "error_%", "by_idle_profile_ms", "its_error_%"}};
  for (const Found* one : worth_running(found)) {
    const double real = real_seconds(profiled, *one);
    const double idle = predicted(profiled.idle, profiled.cluster, *one);
    const double busy =
        placement::is_on_one_device(one->placement) ? idle : predicted(profiled.busy, profiled.cluster, *one);
    table.rows.push_back({one->placer, one->order.empty() ? Json() : Json(one->order), step_milliseconds(real),
                          step_milliseconds(busy), per_cent(busy, real), step_milliseconds(idle),
                          per_cent(idle, real)});
  }
  return table;
}

}  // namespace dlrun::cli
