// SPDX-License-Identifier: Apache-2.0
#include "plan/gang_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/batch_section.hpp"
#include "dataset/partition_section.hpp"
#include "parallel/memory.hpp"
#include "parallel/record.hpp"
#include "parallel/virtual_cluster.hpp"
#include "recipe/layers.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/parallel.hpp"
#include "recipe/training.hpp"
#include "spec/gang_processes.hpp"
#include "util/units.hpp"

namespace dlrun::plan {

namespace {

struct EpochCost {
  double seconds = 0;  ///< virtual
  double bytes = 0;    ///< sent by all
  double record = 0;   ///< bytes of a record of it
  std::vector<parallel::Cost> processes;
};

constexpr int kLateEpoch = 1'000'000;  // after every warm-up

/// Steps from one average of the ranks to the next; 1: they need not wait so long.
std::int64_t period_of(const parallel::Method& method) {
  return std::visit(
      [](const auto& one) -> std::int64_t {
        if constexpr (requires { one.period; }) return one.period;
        return 1;
      },
      method);
}

/// Epochs in which ranks average at least once.
std::int64_t epochs_to_average(const parallel::Gang& gang, const parallel::Method& method, const parallel::Deal& deal) {
  const std::int64_t rounds = std::max<std::int64_t>(1, deal.rounds(gang.ranks));
  return (period_of(method) + rounds - 1) / rounds;
}

/// The mean of as many epochs; of the last one what its processes have.
EpochCost cost_of_epoch(recipe::ParallelConfig config, const model::Graph& graph, const parallel::Deal& deal) {
  std::erase_if(config.cluster.stragglers, [&](const auto& one) { return one.rank >= config.gang.ranks; });
  const auto algorithm = parallel::make_algorithm<float>(config.gang.method);
  parallel::Gang gang = parallel::gang_of(config.gang, parallel::timed(recipe::layers_of(graph)));
  gang.epoch = kLateEpoch;
  gang.lists = deal.lists();
  const double model_bytes = 4.0 * double(graph.parameters());
  parallel::Members<float> members = parallel::members_of<float>(gang, *algorithm, {});
  const std::int64_t epochs = epochs_to_average(gang, config.gang.method, deal);
  EpochCost mean;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    parallel::VirtualCluster<float> cluster(gang, *algorithm, members, nullptr,
                                            {config.cluster, model_bytes, 0, "plan"});
    cluster.begin(deal);
    while (cluster.advance()) continue;
    cluster.end();
    mean.seconds += cluster.now() / double(epochs);
    mean.bytes += cluster.bytes() / double(epochs);
    mean.record += double(cluster.started() + cluster.messages()) * parallel::kEventBytes / double(epochs);
    mean.processes = cluster.costs();
  }
  return mean;
}

/// Batches of an epoch; of a partition each rank's. Ranks of dirichlet are taken for equal: their labels decide.
parallel::Deal deal_of(const spec::StudySpec& spec, int ranks) {
  const Json& trial = spec.json.at("trial");
  const std::int64_t size = recipe::read_training(trial, spec.data->val > 0).batch_size;
  const auto batches = [&](std::int64_t examples) {
    return dataset::batches_of(examples, size, trial.at("data").value("drop_last", false));
  };
  const auto partition = dataset::read_partition(trial.at("data"));
  if (!partition) return batches(dataset::examples_of_epoch(trial.at("data"), *spec.data, spec.json.at("seed")));
  const std::int64_t padding = partition->remainder == "pad" ? ranks - 1 : 0;
  return parallel::Deal(std::vector<std::int64_t>(std::size_t(ranks), batches((spec.data->train + padding) / ranks)));
}

/// Examples that an epoch's rounds are said to have, where ranks in truth have more and fewer.
const char* evenness_of(const spec::StudySpec& spec) {
  const auto partition = dataset::read_partition(spec.json.at("trial").at("data"));
  return partition && partition->policy == "dirichlet" ? ", as if ranks had equally many examples" : "";
}

std::string summary_of(const spec::StudySpec& spec, const recipe::ParallelConfig& config, const EpochCost& cost) {
  const std::string op = spec.json.at("trial").at("parallel").at("op").get<std::string>();
  if (const int processes = recipe::processes_of(config); processes > 0)
    return fmt::format("{} processes of {}; an epoch sends {}{}{}{}", processes, op, bytes_text(cost.bytes),
                       evenness_of(spec), spec::repeats(spec) ? "" : "; results differ from run to run",
                       config.cluster.records
                           ? fmt::format(", and can be replayed by about {} an epoch", bytes_text(cost.record))
                           : "");
  return fmt::format("{} of {}; an epoch takes about {:.3g} s of virtual time and sends {}{}{}",
                     config.gang.ranks == 1 ? "1 rank" : fmt::format("{} ranks", config.gang.ranks), op, cost.seconds,
                     bytes_text(cost.bytes), evenness_of(spec), config.cluster.fails() ? ", if no rank is lost" : "");
}

/// @param mailbox  bytes of messages that wait, at most
std::vector<Json> memory_row(std::string node, const parallel::NodeMemory& memory, double mailbox) {
  const auto whole = [](double bytes) { return Json(std::llround(bytes)); };
  return {std::move(node),     whole(memory.weights), whole(memory.optimizer), whole(memory.method),
          whole(memory.codec), whole(memory.working), whole(mailbox),          whole(memory.all() + mailbox)};
}

parallel::GangMemory memory_of_gang(const spec::StudySpec& spec, const recipe::ParallelConfig& config) {
  const parallel::Gang gang = parallel::gang_of(config.gang, recipe::layers_of(*spec.base_model));
  return parallel::memory_of(config.gang, gang, recipe::slots_of(recipe::read_optimizer(spec.json.at("trial"))));
}

/// Ranks are alike but for their mailboxes: the fullest one's counts.
report::Table memory_table(const spec::StudySpec& spec, const recipe::ParallelConfig& config, const EpochCost& cost) {
  const parallel::GangMemory memory = memory_of_gang(spec, config);
  const int ranks = config.gang.ranks;
  report::Table table{"memory of ranks, in bytes",
                      {"node", "weights", "optimizer", "method", "codec", "working", "messages", "all"},
                      {}};
  double mailbox = 0;
  for (int rank = 0; rank < ranks; ++rank) mailbox = std::max(mailbox, cost.processes[std::size_t(rank)].mailbox);
  table.rows.push_back(memory_row(ranks == 1 ? "rank" : fmt::format("each of {} ranks", ranks), memory.rank, mailbox));
  for (std::size_t server = 0; server < memory.servers.size(); ++server) {
    const double waiting = cost.processes[std::size_t(ranks) + server].mailbox;
    table.rows.push_back(memory_row(fmt::format("server {}", server), memory.servers[server], waiting));
  }
  return table;
}

std::optional<recipe::ParallelConfig> gang_of(const spec::StudySpec& spec) {
  if (spec.kind != "train" || !spec.data || !spec.base_model) return std::nullopt;
  return recipe::read_parallel(spec.json.at("trial"));
}

}  // namespace

std::optional<GangPlan> gang_plan(const spec::StudySpec& spec) {
  const auto config = gang_of(spec);
  if (!config) return std::nullopt;
  const EpochCost cost = cost_of_epoch(*config, *spec.base_model, deal_of(spec, config->gang.ranks));
  return GangPlan{summary_of(spec, *config, cost), memory_table(spec, *config, cost)};
}

/// Ranks that are alike are stored once (train::twins_of).
double gang_bytes(const spec::StudySpec& spec) {
  const auto config = gang_of(spec);
  if (!config) return 0;
  const parallel::GangMemory memory = memory_of_gang(spec, *config);
  const bool are_twins =
      parallel::steps_by_mean(config->gang.method) && std::holds_alternative<parallel::Dense>(config->gang.codec);
  if (!are_twins) return memory.kept(config->gang.ranks);
  return memory.servers.empty() ? memory.rank.kept() : memory.kept(0);
}

}  // namespace dlrun::plan
