// SPDX-License-Identifier: Apache-2.0
// Several ranks of a training in virtual time: equal to one machine where the method says so, and the same bits however
// a trial is cut.
#include <ATen/ops/add.h>

#include "support/catch.hpp"
#include "train/gang_records.hpp"
#include "train/piece.hpp"
#include "train/safetensors.hpp"
#include "train/twins.hpp"
#include "unit/train/support.hpp"

namespace ranks_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Nothing that depends on which batch a pass has: no running statistics, no dropout.
Json plain_trial() {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "fc1"}, {"op", "linear"}, {"out", 16}},
                             {{"name", "act1"}, {"op", "tanh"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["epochs"] = 1;
  return trial;
}

Json gang(const char* op, int ranks, Json more = Json::object()) {
  more.update({{"op", op}, {"ranks", ranks}});
  return more;
}

Json methods() {
  return {gang("bsp", 4),
          gang("ar_sgd", 3, {{"reduce", "ring"}}),
          gang("asp", 4),
          gang("asp", 3, {{"momentum", "server"}}),
          gang("ssp", 4),
          gang("ssp", 4, {{"read", "on_stale"}, {"staleness", 1}}),
          gang("easgd", 3),
          gang("gosgd", 3, {{"probability", 0.3}}),
          gang("ad_psgd", 5),
          gang("aladdin", 4),
          gang("shat", 4),
          gang("sgp", 4),
          gang("local_sgd", 4),
          gang("diloco", 4, {{"period", 7}}),
          gang("bsp", 4, {{"sharding", "layer"}, {"wait_free", true}, {"aggregate", 2}}),
          gang("ssp", 4, {{"sharding", "memory"}, {"shard_bytes", 512}, {"momentum", "server"}}),
          gang("bsp", 4, {{"codec", {{"op", "dgc"}, {"ratio", 0.1}}}, {"sharding", "layer"}}),
          gang("ssp", 3,
               {{"codec", {{"op", "dgc"}, {"ratio", 0.1}, {"warmup_epochs", 1}}},
                {"momentum", "server"},
                {"read", "on_stale"}}),
          gang("asp", 3, {{"codec", "bf16"}}),
          gang("ar_sgd", 3, {{"codec", {{"op", "powersgd"}, {"rank", 2}, {"least", 0}}}, {"wait_free", true}})};
}

std::vector<float> weights_of(Fixture& fixture, const trial::PieceResult& result) {
  const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  std::vector<float> all;
  for (const char* name : {"model.fc1.weight", "model.fc1.bias", "model.head.weight", "model.head.bias"}) {
    const std::string_view bytes = file.find(name)->bytes;
    const auto* numbers = reinterpret_cast<const float*>(bytes.data());
    all.insert(all.end(), numbers, numbers + bytes.size() / sizeof(float));
  }
  return all;
}

std::vector<float> trained(const Json& trial) {
  Fixture fixture(trial);
  return weights_of(fixture, fixture.run(fixture.order(0, trial["epochs"].get<std::int64_t>())));
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double(std::abs(a[i] - b[i])));
  return most;
}

}  // namespace

TEST_CASE("four ranks of bsp and ar_sgd are one machine with the fourfold batch", "[train][ranks]") {
  Json trial = plain_trial();
  trial["optimizer"] = GENERATE(Json{{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}, {"weight_decay", 0.01}},
                                Json{{"op", "adam"}, {"lr", 0.01}});
  trial["clip_norm"] = 0.7;
  trial["batch_size"] = 64;
  const std::vector<float> one = trained(trial);
  trial["batch_size"] = 16;
  const std::vector<float> small = trained(trial);
  CHECK(distance(small, one) > 1e-2);
  trial["parallel"] = gang("bsp", 4, {{"lr_scale", "none"}});
  CHECK(distance(trained(trial), one) < 1e-4);
  trial["parallel"] = gang("ar_sgd", 4, {{"lr_scale", "none"}});
  CHECK(distance(trained(trial), one) < 1e-4);
}

TEST_CASE("all ranks of ar_sgd keep step where the last round has fewer batches than ranks", "[train][ranks]") {
  Json trial = plain_trial();
  trial["epochs"] = 3;
  trial["batch_size"] = 16;  // 79 batches
  trial["parallel"] = gang("bsp", 4);
  const std::vector<float> bsp = trained(trial);
  trial["parallel"] = gang("ar_sgd", 4);
  CHECK(trained(trial) == bsp);
}

TEST_CASE("sharding, overlap and aggregation leave every bit of a trained model", "[train][ranks]") {
  Json trial = plain_trial();
  trial["epochs"] = 2;
  trial["optimizer"] = GENERATE(Json{{"op", "sgd"}, {"lr", 0.02}, {"momentum", 0.9}, {"weight_decay", 0.01}},
                                Json{{"op", "adam"}, {"lr", 0.01}}, Json{{"op", "lars"}, {"lr", 0.5}});
  trial["optimizer"]["groups"] = {{{"match", "head"}, {"lr", 0.5}}, {{"match", "fc1.bias"}, {"frozen", true}}};
  trial["clip_value"] = 0.05;
  const bool is_by_tensor = trial["optimizer"]["op"] == "lars";
  trial["parallel"] = gang("bsp", 3);
  const std::vector<float> whole = trained(trial);
  for (const Json& cut : {Json{{"sharding", "layer"}, {"servers", 2}}, Json{{"sharding", "layer"}, {"wait_free", true}},
                          Json{{"wait_free", true}}, Json{{"sharding", "memory"}, {"shard_bytes", 1000}},
                          Json{{"sharding", "memory"}, {"servers", 5}, {"wait_free", true}}}) {
    if (is_by_tensor && cut.value("sharding", "") == "memory") continue;
    INFO(trial["optimizer"]["op"] << cut);
    trial["parallel"] = gang("bsp", 3, cut);
    CHECK(trained(trial) == whole);
  }
  trial["parallel"] = gang("ar_sgd", 3, {{"wait_free", true}, {"bucket_bytes", 200}});
  CHECK(trained(trial) == whole);
  trial["parallel"] = gang("bsp", 3, {{"aggregate", 3}});
  CHECK(distance(trained(trial), whole) < 1e-5);
}

TEST_CASE("velocities of dgc take the place of the server's momentum", "[train][ranks]") {
  Json trial = plain_trial();
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 0.02}, {"momentum", 0.9}, {"weight_decay", 0}};
  const Json all = {{"op", "dgc"}, {"ratio", 1}, {"masking", false}};
  trial["parallel"] = gang("bsp", 4);
  const std::vector<float> dense = trained(trial);
  trial["parallel"] = gang("bsp", 4, {{"codec", all}});
  CHECK(distance(trained(trial), dense) < 1e-4);              // rounding alone
  trial["parallel"]["codec"]["momentum_correction"] = false;  // the server keeps its own
  CHECK(trained(trial) == dense);
  trial["parallel"]["codec"]["masking"] = true;
  trial["parallel"]["codec"]["momentum_correction"] = true;
  CHECK(distance(trained(trial), dense) > 1e-3);  // no velocity outlives its travel
  trial["clip_norm"] = 1e-3;
  const std::vector<float> clipped = trained(trial);
  trial["parallel"]["codec"]["clipping"] = false;
  CHECK(distance(trained(trial), clipped) > 1e-5);
}

TEST_CASE("dgc clips by the norm of all that is trained", "[train][ranks]") {
  Json trial = plain_trial();
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 0.5}, {"groups", {{{"match", "fc1"}, {"frozen", true}}}}};
  trial["clip_norm"] = 0.05;
  trial["parallel"] = gang("bsp", 1);
  const std::vector<float> dense = trained(trial);
  trial["parallel"]["codec"] = {{"op", "dgc"}, {"ratio", 1}};
  CHECK(distance(trained(trial), dense) < 1e-5);
}

TEST_CASE("the norm of a gradient is that of all shards together", "[train][ranks]") {
  Json trial = plain_trial();
  trial["log"] = {{"every", 1}};
  const auto norms = [&](const Json& method) {
    trial["parallel"] = method;
    Fixture fixture(trial);
    FakeHost host;
    fixture.run(fixture.order(0, 1), host);
    std::vector<double> all;
    for (const auto& point : host.curve) all.push_back(metric(point, "grad_norm"));
    return all;
  };
  const std::vector<double> whole = norms(gang("bsp", 4));
  const std::vector<double> cut = norms(gang("bsp", 4, {{"sharding", "layer"}}));
  REQUIRE(cut.size() == whole.size());
  for (std::size_t i = 0; i < cut.size(); ++i) CHECK(cut[i] == Approx(whole[i]).epsilon(1e-6));
}

TEST_CASE("a gang's rate is multiplied by its ranks", "[train][ranks]") {
  Json trial = plain_trial();
  trial["batch_size"] = 64;
  trial["optimizer"]["lr"] = 0.08;
  const std::vector<float> one = trained(trial);
  trial["batch_size"] = 16;
  trial["optimizer"]["lr"] = 0.02;
  trial["parallel"] = gang("bsp", 4);
  CHECK(distance(trained(trial), one) < 1e-4);
}

TEST_CASE("a checkpoint has once what all ranks have alike, and no zeros", "[train][ranks]") {
  const auto bytes_with = [](const char* op, int ranks) {
    Json trial = plain_trial();
    trial["batch_size"] = 16;
    trial["parallel"] = gang(op, ranks);
    Fixture fixture(trial);
    return fetch(fixture.setup.artifacts, artifact(fixture.run(fixture.order(0, 1)), "last")).size();
  };
  const double few = double(bytes_with("ar_sgd", 2)), many = double(bytes_with("ar_sgd", 8));
  CHECK(many < 1.2 * few);
  CHECK(double(bytes_with("bsp", 8)) < 1.2 * few);
  CHECK(double(bytes_with("local_sgd", 8)) > 2 * few);  // each has its own
}

TEST_CASE("twins are found, left out and filled again", "[train][ranks]") {
  std::vector<float> a{1, 2}, b{1, 2}, c{0, 0}, d{1, 3}, e{1, 2, 3};
  const std::vector<NamedNumbers> all{{"rank.0.weights", a},
                                      {"rank.1.weights", b},
                                      {"rank.1.velocity", c},
                                      {"rank.2.weights", d},
                                      {"rank.3.weights", e}};
  const Json twins = twins_of(all);
  CHECK(twins == Json{{"rank.1.weights", "rank.0.weights"}, {"rank.1.velocity", ""}});
  CHECK(without_twins(all, twins).size() == 3);
  b = {7, 7};
  c = {7, 7};
  fill_twins(all, twins);
  CHECK(b == a);
  CHECK((c == std::vector<float>{0, 0}));
  for (const char* wrong : {"rank.9.weights", "rank.3.weights", "rank.1.weights"})  // none, longer, itself
    CHECK_THROWS_AS(fill_twins(all, {{"rank.1.weights", wrong}}), Error);
}

TEST_CASE("pieces of a gang leave the same bits as one run, by every method", "[train][ranks][resume]") {
  for (const Json& method : methods()) {
    INFO(method);
    Json trial = digits_trial();
    trial["parallel"] = method;
    trial["cluster"] = {{"op", "virtual"}, {"stragglers", {{{"rank", 1}, {"factor", 3}}}}};
    Fixture fixture(trial);
    const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
    REQUIRE(whole.outcome == trial::Outcome::completed);
    const trial::PieceResult first = fixture.run(fixture.order(0, 1));
    trial::PieceOrder order = fixture.order(1, 4);
    order.resume = artifact(first, "last");
    const trial::PieceResult second = fixture.run(order);
    CHECK(artifact(second, "last") == artifact(whole, "last"));
    CHECK(artifact(second, "best") == artifact(whole, "best"));
    CHECK(second.reports.back() == whole.reports.back());
    CHECK(metric(whole.reports.back(), "val.accuracy") > 0.75);
  }
}

TEST_CASE("a gang that was stopped goes on from the end of an epoch", "[train][ranks][resume]") {
  Json trial = digits_trial();
  trial["parallel"] = gang("aladdin", 4);
  Fixture fixture(trial);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
  for (const std::int64_t steps : {1, 8, 17}) {
    FakeHost first(steps), second;
    const std::string lost = "lost" + std::to_string(steps);
    CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, lost), first), trial::Stopped);
    trial::PieceOrder order = fixture.order(0, 4, "again" + std::to_string(steps));
    order.partial = fixture.folder.make(lost);
    CHECK(artifact(fixture.run(order, second), "last") == artifact(whole, "last"));
  }
}

TEST_CASE("a gang gives a sign of life after every batch, and logs its own rate and norm", "[train][ranks]") {
  Json trial = plain_trial();
  trial["parallel"] = gang("bsp", 200);
  Fixture many(trial);
  FakeHost host;
  many.run(many.order(0, 1), host);
  CHECK(host.steps > 20);  // batches, all of one round
  trial["batch_size"] = 16;
  trial["parallel"] = gang("bsp", 4);
  trial["log"] = {{"every", 1}};
  trial["clip_norm"] = 0.01;
  Fixture few(trial);
  FakeHost first;
  few.run(few.order(0, 1), first);
  trial.erase("parallel");
  trial["batch_size"] = 64;
  trial["optimizer"]["lr"] = 0.2;
  Fixture one(trial);
  FakeHost second;
  one.run(one.order(0, 1), second);
  for (const std::size_t step : {std::size_t(3), first.curve.size() - 1}) {
    CHECK(metric(first.curve[step], "lr") == Approx(metric(second.curve[step], "lr")));
    CHECK(metric(first.curve[step], "train.loss") == Approx(metric(second.curve[step], "train.loss")).epsilon(1e-4));
  }
}

TEST_CASE("a gang counts the examples of a step, whatever their weights", "[train][ranks]") {
  Json trial = plain_trial();
  trial["parallel"] = gang("ar_sgd", 4);
  trial["loss"] = {{"op", "cross_entropy"}, {"class_weights", std::vector<double>(10, 0.1)}};
  const Fixture fixture(trial);
  const auto training = make_training(fixture.setup, fixture.order(0, 1), at::kCPU);
  training->step();
  CHECK(training->last_step().examples == 4 * 64);
}

TEST_CASE("records travel between processes as hexadecimal digits", "[train][ranks]") {
  const std::string bytes(
      "\x00\x1f\xff"
      "a",
      4);
  CHECK(hex_of(bytes) == "001fff61");
  CHECK(bytes_of_hex("001fff61") == bytes);
}

TEST_CASE("a gang reports virtual time and traffic", "[train][ranks]") {
  Json trial = plain_trial();
  trial["parallel"] = gang("bsp", 4);
  trial["cluster"] = {{"op", "virtual"}, {"gradient_ms", 100}, {"jitter", 0}, {"latency_us", 0}};
  Fixture fixture(trial);
  const trial::PieceResult result = fixture.run(fixture.order(0, 1));
  const std::int64_t numbers = 64 * 16 + 16 + 16 * 10 + 10;  // each tensor's begin is a multiple of 16 numbers, as here
  CHECK(metric(result.reports.back(), "cluster.seconds") == Approx(0.5).epsilon(0.01));  // 20 batches in 5 rounds
  CHECK(metric(result.reports.back(), "cluster.gbytes") == Approx(2 * 4 * 5 * double(numbers) * 4 / 1e9).epsilon(0.01));
}

}  // namespace ranks_test
