// SPDX-License-Identifier: Apache-2.0
#include "plan/gang_plan.hpp"

#include <fmt/format.h>

#include "parallel/virtual_cluster.hpp"
#include "recipe/layers.hpp"
#include "recipe/parallel.hpp"
#include "recipe/training.hpp"
#include "spec/gang_processes.hpp"
#include "util/units.hpp"

namespace dlrun::plan {

namespace {

struct EpochCost {
  double seconds = 0;  ///< virtual
  double bytes = 0;    ///< sent by all
};

constexpr int kLateEpoch = 1'000'000;  // after every warm-up

/// Without the weights, which timing does not need.
std::vector<parallel::Layer> timed_layers(const model::Graph& graph) {
  std::vector<parallel::Layer> layers = recipe::layers_of(graph);
  for (parallel::Layer& layer : layers) layer.size = 0;
  return layers;
}

EpochCost cost_of_epoch(recipe::ParallelConfig config, const model::Graph& graph, std::int64_t batches) {
  std::erase_if(config.cluster.stragglers, [&](const auto& one) { return one.rank >= config.gang.ranks; });
  const auto algorithm = parallel::make_algorithm<float>(config.gang.method);
  parallel::Gang gang = parallel::gang_of(config.gang, timed_layers(graph));
  gang.epoch = kLateEpoch;
  const double model_bytes = 4.0 * double(graph.parameters());
  parallel::Members<float> members = parallel::members_of<float>(gang, *algorithm, {});
  parallel::VirtualCluster<float> cluster(gang, *algorithm, members, nullptr, {config.cluster, model_bytes, 0, "plan"});
  cluster.begin(batches);
  while (cluster.advance()) continue;
  EpochCost cost{cluster.now(), 0};
  for (int node = 0; node < gang.nodes(); ++node) cost.bytes += cluster.cost(node).bytes;
  return cost;
}

std::optional<recipe::ParallelConfig> gang_of(const spec::StudySpec& spec) {
  if (spec.kind != "train" || !spec.data || !spec.base_model) return std::nullopt;
  return recipe::read_parallel(spec.json.at("trial"));
}

}  // namespace

std::optional<std::string> gang_plan(const spec::StudySpec& spec) {
  const auto config = gang_of(spec);
  if (!config) return std::nullopt;
  const auto batch = recipe::read_training(spec.json.at("trial"), spec.data->val > 0).batch_size;
  const EpochCost cost = cost_of_epoch(*config, *spec.base_model, (spec.data->train + batch - 1) / batch);
  const std::string op = spec.json.at("trial").at("parallel").at("op").get<std::string>();
  if (const int processes = recipe::processes_of(*config); processes > 0)
    return fmt::format("{} processes of {}; an epoch sends {}{}", processes, op, bytes_text(cost.bytes),
                       spec::repeats(spec) ? "" : "; results differ from run to run");
  return fmt::format("{} of {}; an epoch takes about {:.3g} s of virtual time and sends {}",
                     config->gang.ranks == 1 ? "1 rank" : fmt::format("{} ranks", config->gang.ranks), op, cost.seconds,
                     bytes_text(cost.bytes));
}

std::int64_t gang_copies(const spec::StudySpec& spec) {
  const auto config = gang_of(spec);
  if (!config) return 0;
  const bool are_twins =
      parallel::steps_by_mean(config->gang.method) && std::holds_alternative<parallel::Dense>(config->gang.codec);
  if (are_twins) return 1;  // train::twins_of
  return config->gang.ranks * (1 + parallel::copies_of(config->gang.codec)) +
         (parallel::has_server(config->gang.method) ? 1 : 0);
}

}  // namespace dlrun::plan
