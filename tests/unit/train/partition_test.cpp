// SPDX-License-Identifier: Apache-2.0
// Examples of each rank in a training: who has which, what their losses decide, and the same bits however it is cut.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <ATen/ATen.h>

#include "data/data.hpp"
#include "support/catch.hpp"
#include "train/example_losses.hpp"
#include "train/intervals.hpp"
#include "train/loss.hpp"
#include "train/partition.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"

namespace train_partition_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Nothing that depends on which batch a pass has.
Json plain_trial(const Json& partition, const Json& gang) {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "fc1"}, {"op", "linear"}, {"out", 16}},
                             {{"name", "act1"}, {"op", "tanh"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["data"]["scale"] = 16;
  trial["parallel"] = gang;
  if (!partition.is_null()) trial["data"]["partition"] = partition;
  return trial;
}

Json by_loss(const char* policy, Json more = Json::object()) {
  more.update(
      {{"policy", policy}, {"warmup_epochs", 2}, {"interval_epochs", 1}, {"importance", {{"ignore_epochs", 1}}}});
  return more;
}

Json gang(const char* op, int ranks) { return {{"op", op}, {"ranks", ranks}, {"lr_scale", "none"}}; }

trial::PieceResult run_whole(Fixture& fixture) {
  trial::PieceResult result = fixture.run(fixture.order(0, fixture.setup.trial["epochs"].get<std::int64_t>()));
  REQUIRE(result.outcome == trial::Outcome::completed);
  return result;
}

std::vector<trial::Artifact> partitions_in(const trial::PieceResult& result) {
  std::vector<trial::Artifact> all;
  for (const trial::Artifact& one : result.artifacts) {
    if (one.role == "partition") all.push_back(one);
  }
  return all;
}

template <class Number>
std::vector<Number> numbers_of(const SafeTensors& file, const std::string& name) {
  const std::string_view bytes = file.find(name)->bytes;
  const auto* numbers = reinterpret_cast<const Number*>(bytes.data());
  return {numbers, numbers + bytes.size() / sizeof(Number)};
}

std::vector<float> weights_in(const Fixture& fixture, const trial::PieceResult& result) {
  const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  std::vector<float> all;
  for (const char* name : {"model.fc1.weight", "model.fc1.bias", "model.head.weight", "model.head.bias"}) {
    for (const float number : numbers_of<float>(file, name)) all.push_back(number);
  }
  return all;
}

std::vector<float> trained(const Json& trial) {
  Fixture fixture(trial);
  return weights_in(fixture, run_whole(fixture));
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double(std::abs(a[i] - b[i])));
  return a.size() == b.size() ? most : 1e300;
}

std::vector<Json> policies() {
  return {{{"policy", "random"}},
          {{"policy", "fixed_random"}},
          {{"policy", "contiguous"}},
          {{"policy", "stratified"}},
          {{"policy", "dirichlet"}, {"alpha", 0.3}},
          by_loss("stripes"),
          by_loss("blocks"),
          by_loss("stratified")};
}

}  // namespace

TEST_CASE("intervals follow the warm-up, and the last one has the rest", "[train][partition]") {
  dataset::Partition settings{
      .importance = dataset::Importance{.ignore_epochs = 1}, .warmup_epochs = 3, .interval_epochs = 2};
  const auto walk = [&](std::int64_t epochs) {
    const Intervals intervals(settings, epochs);
    std::string text;
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
      text += intervals.is_warmup(epoch) ? "w" : std::to_string(intervals.of(epoch));
      text += intervals.collects(epoch) ? "+" : "";
    }
    return text;
  };
  CHECK(walk(9) == "ww+w+0+0+1+1+22");
  CHECK(walk(8) == "ww+w+0+0+111");
  CHECK(walk(4) == "ww+w+0");
  settings.importance->aggregate = "last";
  CHECK(walk(9) == "www+00+11+22");
}

TEST_CASE("importance is the mean, the unbiased variance or the last loss", "[train][partition]") {
  // Rows of NumPy: [2, 1, 4], [1, 1, 1], [0.5, 3, 2]; var(ddof=1) 2.3333, 0, 1.5833, mean 2.3333, 1, 1.8333.
  const std::vector<std::vector<float>> rows{{2, 1, 4}, {1, 1, 1}, {0.5, 3, 2}};
  ExampleLosses losses(3), last(3);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t i = 0; i < 3; ++i) {
      losses.note(std::int64_t(i), rows[i][epoch]);
      last.note(std::int64_t(i), rows[i][epoch]);
    }
    losses.end_epoch(false);
    last.end_epoch(true);
    if (epoch == 0) CHECK(losses.importance("var") == std::vector<float>{2, 1, 0.5});  // one epoch: the mean
  }
  const std::vector<float> mean = losses.importance("mean"), variance = losses.importance("var");
  for (const auto& [i, m, v] : {std::tuple{0, 2.3333333, 2.3333333}, {1, 1.0, 0.0}, {2, 1.8333333, 1.5833333}}) {
    CHECK(mean[std::size_t(i)] == Approx(m));
    CHECK(variance[std::size_t(i)] == Approx(v).margin(1e-7));
  }
  CHECK(last.importance("last") == std::vector<float>{4, 1, 2});
  losses.begin_window();
  losses.note(0, 1);
  losses.note(2, 3);
  losses.end_epoch(false);
  CHECK(losses.importance("mean") == std::vector<float>{1, 2, 3});  // nothing is known of the second
}

TEST_CASE("losses of an epoch travel between processes whole", "[train][partition]") {
  ExampleLosses here(4), there(4);
  there.note(3, 0.1f);
  there.note(1, 1e-30f);
  here.note(0, 2);
  here.note_all(Json::parse(there.noted().dump()));
  here.end_epoch(false);
  CHECK(here.importance("mean") == std::vector<float>{2, 1e-30f, 2.1f / 3, 0.1f});
}

TEST_CASE("the loss of each example is that of a batch of its own", "[train][partition]") {
  // Logits (0, ln 3): probabilities 1/4 and 3/4.
  const at::Tensor output = at::tensor({0.0f, std::log(3.0f), 0.0f, std::log(3.0f)}).view({2, 2});
  const at::Tensor classes = at::tensor(std::vector<std::int64_t>{0, 1});
  dataset::Schema schema;
  schema.classes = 2;
  const std::vector<float> entropy = make_loss({.op = "cross_entropy"}, {2}, schema)->each(output, {classes});
  CHECK(entropy[0] == Approx(std::log(4.0)));
  CHECK(entropy[1] == Approx(std::log(4.0 / 3)));
  const LossConfig smooth{.op = "cross_entropy", .label_smoothing = 0.2, .class_weights = {1, 3}};
  const LossConfig focal{.op = "focal"};
  LossConfig both{.op = "sum", .parts = {smooth, focal}};
  both.parts[0].weight = 0.5;
  for (const LossConfig& config : {smooth, focal, both}) {
    const auto loss = make_loss(config, {2}, schema);
    const std::vector<float> each = loss->each(output, {classes});
    for (std::int64_t i = 0; i < 2; ++i)
      CHECK(each[std::size_t(i)] ==
            Approx(loss->measure(output.narrow(0, i, 1), {classes.narrow(0, i, 1)}, nullptr).mean));
  }
}

TEST_CASE("with all examples in each step every policy walks the same way", "[train][partition]") {
  // One machine with a batch of all 1258 examples is the measure: no code of partitions is in it.
  Json alone = plain_trial(nullptr, nullptr);
  alone.erase("parallel");
  alone["batch_size"] = 1258;
  const std::vector<float> whole = trained(alone);
  for (const Json& policy : policies()) {
    INFO(policy);
    Json trial = plain_trial(policy, gang("ar_sgd", 2));  // 629 each, or as dirichlet wants
    trial["batch_size"] = 1258;
    CHECK(distance(trained(trial), whole) < 2e-5);
    trial["batch_size"] = 37;
    CHECK(distance(trained(trial), whole) > 1e-2);
  }
}

TEST_CASE("blocks and stripes follow the losses of the training's own steps", "[train][partition]") {
  const std::string policy = GENERATE("stripes", "blocks");
  Json trial = plain_trial(by_loss(policy.c_str()), gang("local_sgd", 4));
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 1e-12}};  // so that all losses are those of the first weights
  trial["epochs"] = 3;
  Fixture fixture(trial);
  const trial::PieceResult result = run_whole(fixture);
  const std::vector<trial::Artifact> files = partitions_in(result);
  REQUIRE(files.size() == 1);
  CHECK(files[0].step == 3);
  const SafeTensors file(fetch(fixture.setup.artifacts, files[0].sha256), "partition");
  const auto ranks = numbers_of<std::int32_t>(file, "rank");
  const auto rows = numbers_of<std::int64_t>(file, "row");
  const auto data = data::load_shared(fixture.setup.trial["data"], 7);
  REQUIRE(rows == data->train_rows());

  // The model by hand, in double.
  const std::vector<float> w = weights_in(fixture, result);
  const data::Examples all = data->buffers(std::int64_t(rows.size()));
  data->gather(rows.data(), all);
  const float* x = all.inputs[0].const_data_ptr<float>();
  std::vector<double> losses;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> hidden(16), logits(10);
    for (std::size_t h = 0; h < 16; ++h) {
      double sum = double(w[1024 + h]);
      for (std::size_t k = 0; k < 64; ++k) sum += double(w[h * 64 + k]) * double(x[i * 64 + k]);
      hidden[h] = std::tanh(sum);
    }
    double exps = 0;
    for (std::size_t c = 0; c < 10; ++c) {
      logits[c] = double(w[1040 + 160 + c]);
      for (std::size_t h = 0; h < 16; ++h) logits[c] += double(w[1040 + c * 16 + h]) * hidden[h];
      exps += std::exp(logits[c]);
    }
    losses.push_back(std::log(exps) - logits[std::size_t(data->label(rows[i]))]);
  }

  std::vector<std::size_t> order(losses.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return losses[a] > losses[b]; });
  double right = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t block = k < 314 ? 0 : k < 629 ? 1 : k < 943 ? 2 : 3;  // 1258 b / 4, rounded down
    right += std::size_t(ranks[order[k]]) == (policy == "blocks" ? block : k % 4) ? 1 : 0;
  }
  CHECK(right / double(order.size()) > 0.98);  // float32 may exchange neighbours
}

TEST_CASE("who has which example is part of the format", "[train][partition]") {
  const std::map<std::string, std::string> known{
      {"fixed_random", "33b74446a857c9b7"}, {"stratified", "658d759462d0c171"}, {"dirichlet", "22ceda3e4b2bb729"}};
  for (const Json& policy : policies()) {
    const std::string name = policy["policy"];
    if (!known.contains(name) || policy.contains("importance")) continue;
    Fixture fixture(plain_trial(policy, gang("ar_sgd", 3)));
    const auto files = partitions_in(fixture.run(fixture.order(0, 1)));
    REQUIRE(files.size() == 1);
    CHECK(name + " " + files[0].sha256.substr(0, 16) == name + " " + known.at(name));
  }
}

TEST_CASE("a warm-up is trained as policy random", "[train][partition]") {
  const auto reports = [](const Json& policy) {
    Fixture fixture(plain_trial(policy, gang("local_sgd", 4)));
    return run_whole(fixture).reports;
  };
  const auto random = reports({{"policy", "random"}}), stripes = reports(by_loss("stripes"));
  CHECK(stripes[1] == random[1]);
  CHECK_FALSE(stripes[2] == random[2]);
}

TEST_CASE("examples that are left out or repeated make all ranks' lists equal", "[train][partition]") {
  const auto data = data::load_shared(plain_trial(nullptr, nullptr)["data"], 7);  // 1258 = 4 * 314 + 2
  const char* remainder = GENERATE("pad", "drop");
  const bool pads = remainder == std::string("pad");
  Partition partition({.settings = {.policy = "fixed_random", .remainder = remainder}, .ranks = 4, .batch_size = 16},
                      *data, {7, 0});
  CHECK(partition.deal().batches() == 4 * 20);  // 19 * 16 = 304
  std::vector<int> seen(1258);
  std::vector<data::Order> first;
  for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
    const std::vector<data::Order> lists = partition.begin(epoch);
    std::vector<int> times(1258);
    for (const data::Order& list : lists) {
      CHECK(std::int64_t(list.size()) == (pads ? 315 : 314));
      for (const std::int64_t example : list) ++times[std::size_t(example)];
    }
    CHECK(std::count(times.begin(), times.end(), pads ? 2 : 0) == 2);
    CHECK(std::count(times.begin(), times.end(), 1) == 1256);
    for (std::size_t i = 0; i < times.size(); ++i) seen[i] += times[i];
    if (epoch == 1) first = lists;
    if (epoch == 2) CHECK(lists != first);
  }
  CHECK(*std::min_element(seen.begin(), seen.end()) > 0);  // another one in each epoch
}

TEST_CASE("pieces leave the same bits as one run with a partition, by every method", "[train][partition][resume]") {
  for (const char* op :
       {"bsp", "ar_sgd", "asp", "ssp", "easgd", "gosgd", "ad_psgd", "aladdin", "shat", "sgp", "local_sgd", "diloco"}) {
    INFO(op);
    Json trial = plain_trial(by_loss("blocks", {{"rotate", true}}), gang(op, 3));
    trial["epochs"] = 5;
    trial["cluster"] = {{"op", "virtual"}, {"stragglers", {{{"rank", 1}, {"factor", 3}}}}};
    Fixture fixture(trial);
    const trial::PieceResult whole = run_whole(fixture);
    CHECK(partitions_in(whole).size() == 3);
    const trial::PieceResult first = fixture.run(fixture.order(0, 3));
    trial::PieceOrder order = fixture.order(3, 5);
    order.resume = artifact(first, "last");
    const trial::PieceResult second = fixture.run(order);
    CHECK(artifact(second, "last") == artifact(whole, "last"));
    CHECK(partitions_in(first).size() == 1);
    std::vector<trial::Artifact> later = partitions_in(whole);
    later.erase(later.begin());
    CHECK(partitions_in(second) == later);
  }
}

TEST_CASE("a training that was stopped within an interval goes on with its partition", "[train][partition][resume]") {
  const Json policy =
      GENERATE(by_loss("stripes"), Json{{"policy", "stratified"}}, Json{{"policy", "dirichlet"}, {"alpha", 0.2}});
  Json trial = plain_trial(policy, gang("local_sgd", 4));
  if (policy["policy"] == "stripes") trial["data"]["partition"]["interval_epochs"] = 2;
  trial["epochs"] = 6;
  Fixture fixture(trial);
  const trial::PieceResult whole = run_whole(fixture);
  for (const std::int64_t steps : {40, 75, 110}) {  // about 21 an epoch
    FakeHost first(steps), second;
    const std::string lost = "lost" + std::to_string(steps);
    CHECK_THROWS_AS(fixture.run(fixture.order(0, 6, lost), first), trial::Stopped);
    trial::PieceOrder order = fixture.order(0, 6, "again" + std::to_string(steps));
    order.partial = fixture.folder.make(lost);
    const trial::PieceResult again = fixture.run(order, second);
    CHECK(Contains("resumed from").match(second.lines.front()));
    CHECK(artifact(again, "last") == artifact(whole, "last"));
    CHECK(partitions_in(again) == partitions_in(whole));
  }
}

TEST_CASE("schedules count the rounds of the rank with most batches", "[train][partition]") {
  Json trial = plain_trial({{"policy", "dirichlet"}, {"alpha", 0.1}}, gang("local_sgd", 4));
  trial["schedule"] = {{"op", "step"}, {"every", 1}, {"gamma", 0.5}};
  trial["log"] = {{"every", 1}};
  trial["batch_size"] = 16;
  trial["epochs"] = 2;
  Fixture fixture(trial);
  FakeHost host;
  fixture.run(fixture.order(0, 2), host);
  CHECK(metric(host.curve.front(), "lr") == Approx(0.05));
  CHECK(metric(host.curve.back(), "lr") == Approx(0.025));
}

}  // namespace train_partition_test
