// SPDX-License-Identifier: Apache-2.0
// Costs of ranks, as trainings report them, and the memory that they are said to take.
#include "data/data.hpp"
#include "parallel/memory.hpp"
#include "recipe/layers.hpp"
#include "recipe/outputs.hpp"
#include "support/catch.hpp"
#include "train/ranks.hpp"
#include "unit/train/support.hpp"

namespace rank_costs_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json gang_trial(Json method) {
  Json trial = digits_trial();
  trial["parallel"] = std::move(method);
  trial["cluster"] = {{"op", "virtual"}, {"jitter", 0}, {"stragglers", {{{"rank", 1}, {"factor", 3}}}}};
  return trial;
}

/// Ranks with the parts of a Training that they use.
struct Parts {
  explicit Parts(const Json& trial)
      : data(data::load_shared(trial.at("data"), 7)),
        config(read_config(trial, data->schema())),
        graph(model::build(config.model, recipe::interface_of(data->schema(), trial))),
        network(graph, streams, config.products(), Placement{}),
        batches(*data, {config.batch_size, config.data, false}, streams, at::kCPU),
        heads(config.outputs, graph, *data),
        progress(config, Objective{"val.accuracy", true, false}, batches.count(),
                 {config.outputs, data->schema(), true}),
        ranks(config, streams, Shared{network, batches, heads, progress}) {}

  nn::Streams streams{7, 0};
  std::shared_ptr<const data::Data> data;
  Config config;
  model::Graph graph;
  Network network;
  EpochBatches batches;
  Heads heads;
  Progress progress;
  Ranks ranks;
};

std::vector<trial::GangReport> reports(const Json& trial) {
  Fixture fixture(trial);
  FakeHost host;
  CHECK(fixture.run(fixture.order(0, 2), host).outcome == trial::Outcome::completed);
  return host.gangs;
}

}  // namespace

TEST_CASE("ranks keep as many bytes as the plan says", "[train][ranks][memory]") {
  for (const Json& method :
       {Json{{"op", "bsp"}, {"ranks", 3}}, Json{{"op", "bsp"}, {"ranks", 3}, {"momentum", "worker"}},
        Json{{"op", "bsp"}, {"ranks", 4}, {"sharding", "memory"}, {"servers", 3}, {"shard_bytes", 512}},
        Json{{"op", "bsp"}, {"ranks", 3}, {"codec", "dgc"}}, Json{{"op", "ar_sgd"}, {"ranks", 3}},
        Json{{"op", "ar_sgd"}, {"ranks", 3}, {"codec", {{"op", "powersgd"}, {"rank", 2}}}},
        Json{{"op", "asp"}, {"ranks", 3}},
        Json{{"op", "ssp"}, {"ranks", 3}, {"read", "on_stale"}, {"momentum", "server"}, {"codec", "dgc"}},
        Json{{"op", "easgd"}, {"ranks", 3}}, Json{{"op", "gosgd"}, {"ranks", 3}}, Json{{"op", "ad_psgd"}, {"ranks", 3}},
        Json{{"op", "aladdin"}, {"ranks", 3}}, Json{{"op", "shat"}, {"ranks", 3}}, Json{{"op", "sgp"}, {"ranks", 3}},
        Json{{"op", "local_sgd"}, {"ranks", 3}}, Json{{"op", "diloco"}, {"ranks", 3}}}) {
    INFO(method);
    Json trial = gang_trial(method);
    if (method.value("op", "") != "bsp" && method.value("op", "") != "ssp") trial["optimizer"] = "adam";
    Parts parts(trial);
    double bytes = 0;
    for (const NamedNumbers& one : parts.ranks.tensors()) bytes += double(one.numbers.size_bytes());
    const parallel::ParallelConfig& config = parts.config.parallel->gang;
    const parallel::Gang gang = parallel::gang_of(config, recipe::layers_of(parts.graph));
    CHECK(bytes ==
          Approx(parallel::memory_of(config, gang, recipe::slots_of(parts.config.optimizer)).kept(gang.ranks)));
  }
}

TEST_CASE("optimisers keep as many numbers of a weight as their settings say", "[train][optimizer][memory]") {
  const auto check = [](const recipe::Method& method) {
    const OptimizerConfig config{.lr = 0.1, .method = method};
    INFO(recipe::name_of(config));
    CHECK(int(make_optimizer(config, {8, {{0, 8}}})->slots().size()) == recipe::slots_of(config));
  };
  for (const recipe::Method& method :
       {recipe::Method(recipe::Sgd{}), recipe::Method(recipe::Sgd{.momentum = 0.9}), recipe::Method(recipe::Adam{}),
        recipe::Method(recipe::Adam{.amsgrad = true}), recipe::Method(recipe::AdamW{}), recipe::Method(recipe::NAdam{}),
        recipe::Method(recipe::RAdam{}), recipe::Method(recipe::Adamax{}), recipe::Method(recipe::RmsProp{}),
        recipe::Method(recipe::RmsProp{.momentum = 0.9, .centered = true}), recipe::Method(recipe::Adagrad{}),
        recipe::Method(recipe::Adadelta{}), recipe::Method(recipe::Lamb{}), recipe::Method(recipe::Lars{}),
        recipe::Method(recipe::Lion{}), recipe::Method(recipe::Muon{})})
    check(method);
}

TEST_CASE("a training reports its ranks after each epoch, and alike after a resume", "[train][ranks][costs]") {
  const Json trial = gang_trial({{"op", "asp"}, {"ranks", 3}});
  Fixture fixture(trial);
  FakeHost whole, rest;
  const trial::PieceResult first = fixture.run(fixture.order(0, 1));
  REQUIRE(fixture.run(fixture.order(0, 3), whole).outcome == trial::Outcome::completed);
  trial::PieceOrder order = fixture.order(1, 3);
  order.resume = artifact(first, "last");
  REQUIRE(fixture.run(order, rest).outcome == trial::Outcome::completed);
  REQUIRE(whole.gangs.size() == 3);
  CHECK(rest.gangs == std::vector<trial::GangReport>(whole.gangs.begin() + 1, whole.gangs.end()));
  const trial::GangReport& one = whole.gangs[0];
  CHECK(one.epoch == 1);
  CHECK(one.is_virtual);
  REQUIRE(one.nodes.size() == 4);  // three ranks and the server
  CHECK(one.nodes[3].is_server);
  CHECK(one.nodes[3].updates == 0);
  // 20 batches of 64: in 30 ms two ranks take three gradients each and the slow one takes one.
  CHECK(one.nodes[0].gradients == 9);
  CHECK(one.nodes[1].gradients == 3);
  CHECK(one.nodes[2].gradients == 8);
  CHECK(one.nodes[1].computing == Approx(0.09));
  CHECK(one.nodes[1].updates == 3);
  CHECK(one.nodes[1].most_stale == 6);
}

TEST_CASE("ranks without a common model have no staleness, and those in step are never stale",
          "[train][ranks][costs]") {
  for (const trial::GangNode& node : reports(gang_trial({{"op", "gosgd"}, {"ranks", 2}})).at(1).nodes)
    CHECK(node.updates == 0);
  for (const trial::GangNode& node : reports(gang_trial({{"op", "ar_sgd"}, {"ranks", 2}})).at(1).nodes) {
    CHECK(node.updates == 10);
    CHECK(node.most_stale == 0);
  }
}

}  // namespace rank_costs_test
