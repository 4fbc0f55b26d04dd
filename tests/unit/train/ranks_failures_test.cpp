// SPDX-License-Identifier: Apache-2.0
// Ranks that are lost in virtual time: values, time and checkpoints of a training that begins an epoch again, and of
// one whose other ranks go on.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/catch.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"

namespace ranks_failures_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// A linear model on 79 batches, where gradients alone take time: 10 ms each.
Json trial_of(Json gang, Json cluster, int epochs = 1) {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 0.0625}, {"momentum", 0.9}};
  trial["batch_size"] = 16;
  trial["epochs"] = epochs;
  trial.erase("schedule");
  trial["parallel"] = std::move(gang);
  cluster.update({{"op", "virtual"}, {"jitter", 0}, {"latency_us", 0}});
  for (const char* rate : {"bandwidth_gbit", "bus_gbyte", "apply_gbyte"}) cluster[rate] = 1e12;
  trial["cluster"] = std::move(cluster);
  return trial;
}

struct Trained {
  std::string weights;                  ///< bytes of the model's
  std::string velocities;               ///< of the first two ranks' optimisers, as far as they are no twins
  std::vector<double> seconds, losses;  ///< by epoch
  std::vector<std::string> log;
};

Trained trained(const Json& trial) {
  Fixture fixture(trial);
  FakeHost host;
  const trial::PieceResult result = fixture.run(fixture.order(0, trial["epochs"].get<std::int64_t>()), host);
  const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  Trained out;
  for (const char* name : {"model.head.weight", "model.head.bias"}) out.weights += file.find(name)->bytes;
  for (const char* name : {"gang.node.0.momentum", "gang.node.1.momentum"}) {
    if (const auto* velocity = file.find(name)) out.velocities += velocity->bytes;
  }
  for (const trial::Report& report : result.reports) {
    out.seconds.push_back(metric(report, "cluster.seconds"));
    out.losses.push_back(metric(report, "cluster.losses"));
  }
  out.log = host.lines;
  return out;
}

Json lost(int rank, double at, double restart) {
  return {{"failures", {{{"rank", rank}, {"at", at}}}}, {"restart", restart}};
}

/// @param a, b  bytes of floats
float most_difference(const std::string& a, const std::string& b) {
  std::vector<float> one(a.size() / sizeof(float)), other(one.size());
  REQUIRE(a.size() == b.size());
  std::memcpy(one.data(), a.data(), a.size());
  std::memcpy(other.data(), b.data(), b.size());
  float most = 0;
  for (std::size_t i = 0; i < one.size(); ++i) most = std::max(most, std::abs(one[i] - other[i]));
  return most;
}

}  // namespace

TEST_CASE("a gang that begins its epoch again has the same values, later", "[train][ranks][cluster]") {
  const char* op = GENERATE("bsp", "asp", "gosgd", "diloco");
  INFO(op);
  const Json gang = {{"op", op}, {"ranks", 3}};
  const Trained usual = trained(trial_of(gang, Json::object(), 2));
  const Trained late = trained(trial_of(gang, lost(1, 0.35, 2), 2));  // an epoch of 27 rounds takes 0.27 s
  CHECK(usual.seconds.front() == Approx(0.27).margin(1e-6));
  CHECK(late.weights == usual.weights);
  CHECK(late.seconds.front() == usual.seconds.front());
  CHECK(late.seconds.back() == Approx(0.35 + 2 + 0.27).margin(1e-6));
  CHECK(late.losses == std::vector<double>{0, 1});
  CHECK(std::count_if(late.log.begin(), late.log.end(), [](const std::string& line) {
          return line == "epoch 2; 1 loss, begun for good at 2.350 s";
        }) == 1);
}

// The loss was looked for in an epoch whose clocks began at 0, which no mean of all ranks made longer.
TEST_CASE("a loss in an epoch that is longer than the first one is found", "[train][ranks][cluster]") {
  const char* op = GENERATE("local_sgd", "easgd");
  INFO(op);
  Json trial = trial_of({{"op", op}, {"ranks", 3}, {"period", 40}}, lost(1, 0.7, 2), 2);  // an epoch has 27 rounds
  trial["cluster"]["bandwidth_gbit"] = 1e-4;
  const Trained late = trained(trial);
  CHECK(late.losses == std::vector<double>{0, 1});
  trial["cluster"].erase("failures");
  const Trained usual = trained(trial);
  REQUIRE(usual.seconds.front() < 0.5);
  REQUIRE(usual.seconds.back() > 0.7);
  CHECK(late.seconds.back() == Approx(0.7 + 2 + usual.seconds.back() - usual.seconds.front()).margin(1e-6));
  CHECK(late.weights == usual.weights);
}

TEST_CASE("ranks that are left after a loss in the first round train as if there were no others",
          "[train][ranks][cluster]") {
  const char* op = GENERATE("bsp", "ar_sgd", "local_sgd");
  INFO(op);
  const bool is_scaled = std::string(op) != "local_sgd";  // by three ranks, and its rate stays so
  const Json gang = {{"op", op}, {"ranks", 3}, {"on_loss", "elastic"}};
  const Trained left = trained(trial_of(gang, lost(2, 0.005, 1)));
  Json two = trial_of({{"op", op}, {"ranks", 2}, {"lr_scale", "none"}}, Json::object());
  if (is_scaled) two["optimizer"]["lr"] = 0.1875;
  CHECK(left.weights == trained(two).weights);
  CHECK(left.seconds.back() == Approx(0.005 + 0.40).margin(1e-6));  // 40 rounds of two
  CHECK(left.losses.back() == 1);
}

TEST_CASE("a lost rank is back at the next epoch, which waits for it", "[train][ranks][cluster]") {
  const Json gang = {{"op", "asp"}, {"ranks", 3}, {"on_loss", "elastic"}};
  const Trained late = trained(trial_of(gang, lost(2, 0.205, 10), 2));
  // 63 batches were begun by then, and two ranks have 16 left: 8 each.
  CHECK(late.seconds.front() == Approx(0.205 + 0.08).margin(1e-6));
  CHECK(late.seconds.back() == Approx(0.205 + 10 + 0.27).margin(1e-6));
}

TEST_CASE("the log names a failure that falls into the wait for a lost rank", "[train][ranks][cluster]") {
  Json trial = trial_of({{"op", "asp"}, {"ranks", 3}, {"on_loss", "elastic"}}, lost(2, 0.205, 10), 2);
  trial["cluster"]["failures"].push_back({{"rank", 1}, {"at", 5}});
  const Trained late = trained(trial);
  CHECK(late.losses.back() == 1);
  CHECK(std::count(late.log.begin(), late.log.end(),
                   "epoch 2; rank 1 was not lost at 5.000 s, when all waited for a lost rank") == 1);
}

TEST_CASE("ranks of bsp that keep their own velocities do so if another one is lost", "[train][ranks][cluster]") {
  const Json gang = {{"op", "bsp"}, {"ranks", 3}, {"momentum", "worker"}, {"on_loss", "elastic"}};
  // In the last of 27 rounds the first rank alone has a batch, whoever else is there.
  const Trained usual = trained(trial_of(gang, Json::object())), left = trained(trial_of(gang, lost(2, 0.265, 1)));
  CHECK(left.losses.back() == 1);
  CHECK(left.weights == usual.weights);
  CHECK(left.velocities == usual.velocities);
}

TEST_CASE("a model of gossip keeps its size if a lost rank comes back", "[train][ranks][cluster]") {
  Json trial =
      trial_of({{"op", "gosgd"}, {"ranks", 2}, {"probability", 0.2}, {"on_loss", "elastic"}}, lost(1, 0.205, 1), 3);
  trial["optimizer"]["lr"] = 1e-30;  // the model stays as it began
  const std::string late = trained(trial).weights;
  trial["cluster"].erase("failures");
  CHECK(most_difference(late, trained(trial).weights) < 1e-6);
}

TEST_CASE("pieces of a gang that loses ranks leave the same bits as one run", "[train][ranks][resume][cluster]") {
  const auto [op, on_loss] = GENERATE(table<const char*, const char*>(
      {{"asp", "restart"}, {"gosgd", "elastic"}, {"bsp", "elastic"}, {"aladdin", "elastic"}}));
  INFO(op << " " << on_loss);
  Json trial = trial_of(
      {{"op", op}, {"ranks", 4}, {"on_loss", on_loss}},
      {{"mtbf", 0.5}, {"restart", 0.2}, {"slowdowns", {{{"every", 0.1}, {"duration", 0.05}, {"factor", 3}}}}}, 4);
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4)), first = fixture.run(fixture.order(0, 2));
  trial::PieceOrder order = fixture.order(2, 4);
  order.resume = artifact(first, "last");
  const trial::PieceResult second = fixture.run(order);
  CHECK(artifact(second, "last") == artifact(whole, "last"));
  CHECK(second.reports.back() == whole.reports.back());
  CHECK(metric(whole.reports.back(), "cluster.losses") > 0);
}

}  // namespace ranks_failures_test
