// SPDX-License-Identifier: Apache-2.0
// The rate of steps by their micro-batches, in whole trainings.
#include "train/lr_scaling.hpp"

#include <ATen/Functions.h>

#include "support/catch.hpp"
#include "train/piece.hpp"
#include "unit/train/support.hpp"

namespace lr_scaling_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Twelve rows in the order of the file, six micro-batches of two, a step of three; a linear model.
Json small_trial(const Json& scaling, const std::string& table) {
  return {{"kind", "train"},
          {"data",
           {{"op", "csv"},
            {"path", table},
            {"header", false},
            {"target", -1},
            {"standardise", false},
            {"sampler", {{"op", "sequential"}}},
            {"split", {{"train", 1.0}, {"val", 0.0}, {"test", 0.0}}}}},
          {"model", {{"nodes", {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}}}}}},
          {"loss", "cross_entropy"},
          {"optimizer", {{"op", "sgd"}, {"lr", 0.5}}},
          {"epochs", 3},
          {"batch_size", 2},
          {"accumulate", 3},
          {"lr_scaling", scaling}};
}

std::string small_table(const TempFolder& folder) {
  const std::filesystem::path path = folder.make("data") / "rows.csv";
  write_file(path, "1,2,0\n2,1,1\n-1,1,0\n3,-1,1\n0,2,0\n-2,-1,0\n1,-3,1\n2,2,1\n-1,-2,0\n0,1,0\n3,0,1\n-2,1,0\n");
  return path.string();
}

/// Facts of all steps, from weights of 0.
std::vector<StepFacts> small_steps(const Json& scaling) {
  TempFolder folder;
  Fixture fixture(small_trial(scaling, small_table(folder)));
  fixture.setup.metric = "train.loss";
  fixture.setup.maximize = false;
  const std::unique_ptr<Training> training = make_training(fixture.setup, fixture.order(0, 3));
  at::Tensor values = training->network().parameters().values();
  values.zero_();
  training->set_weights();
  std::vector<StepFacts> steps;
  while (training->state().epoch < 3) {
    for (; training->has_batch(); steps.push_back(training->last_step())) training->step();
    training->finish_epoch([] {});
  }
  return steps;
}

struct Expected {
  double loss, lr, gain;  ///< gain 0: not measured
};

void check(const std::vector<StepFacts>& steps, const std::vector<Expected>& expected) {
  REQUIRE(steps.size() == expected.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i].loss == Approx(expected[i].loss).epsilon(2e-5));
    CHECK(steps[i].lr == Approx(expected[i].lr).epsilon(1e-5));
    CHECK(steps[i].gain.value_or(0) == Approx(expected[i].gain).epsilon(1e-5));
  }
}

Json gains(const char* op, const char* warmup) { return {{"op", op}, {"warmup", warmup}, {"smoothing", 0.5}}; }

Json lena() { return {{"op", "lena"}, {"warmup", "layer_wise"}, {"smoothing", 0.5}, {"alpha", 0.3}, {"longest", 1e6}}; }

/// A gradient of two ranges of four numbers each.
at::Tensor gradient(std::vector<float> numbers) { return at::tensor(numbers); }

}  // namespace

// All numbers by numpy: softmax regression from weights of 0, six updates of three micro-batches of two rows; A, B as
// in recipe/gains_test.cpp with w = 0.5, theta = 0.3 * 18. Rates are means over the two tensors.
TEST_CASE("trainings with scaled rates follow numpy's", "[train][lr_scaling]") {
  SECTION("linear") {
    check(small_steps({{"op", "linear"}}), {{0.69314718, 1.5, 0},
                                            {0.18668461, 1.5, 0},
                                            {0.23940805, 1.5, 0},
                                            {0.18731653, 1.5, 0},
                                            {0.17937728, 1.5, 0},
                                            {0.11586637, 1.5, 0}});
  }
  SECTION("square root after a fixed warm-up") {
    check(small_steps({{"op", "sqrt"}, {"warmup", "fixed"}, {"warmup_share", 0.5}}), {{0.69314718, 0.62200847, 0},
                                                                                      {0.33116791, 0.74401694, 0},
                                                                                      {0.30153947, 0.8660254, 0},
                                                                                      {0.24135879, 0.8660254, 0},
                                                                                      {0.20980768, 0.8660254, 0},
                                                                                      {0.16969978, 0.8660254, 0}});
  }
  SECTION("AdaScale") {
    check(small_steps(gains("adascale", "none")), {{0.69314718, 0.67391286, 1.34782572},
                                                   {0.31576525, 0.76064907, 1.52129813},
                                                   {0.2931871, 0.75734714, 1.51469428},
                                                   {0.22196969, 0.83604151, 1.67208302},
                                                   {0.20921969, 0.85039302, 1.70078605},
                                                   {0.1720299, 0.90929128, 1.81858256}});
  }
  SECTION("LENA without warm-up") {
    check(small_steps(gains("lena", "none")), {{0.69314718, 1.06152939, 2.12305879},
                                               {0.32523073, 1.06325667, 2.12651335},
                                               {0.25805442, 1.08012218, 2.16024437},
                                               {0.2122094, 1.0964373, 2.1928746},
                                               {0.17970664, 1.12071413, 2.24142826},
                                               {0.16079159, 1.13910311, 2.27820623}});
  }
  SECTION("LENA") {
    check(small_steps(lena()), {{0.69314718, 0.48855013, 2.12305879},
                                {0.57592608, 0.9025515, 2.1480627},
                                {0.41169306, 0.9734996, 2.13362163},
                                {0.31276973, 1.05057721, 2.13826261},
                                {0.24284414, 1.08204016, 2.16408033},
                                {0.20690072, 1.09947044, 2.19894088}});
  }
  SECTION("a warm-up by layers alone") {
    Json scaling = lena();
    scaling["op"] = "linear";
    check(small_steps(scaling), {{0.69314718, 0.58973855, 2.12305879},
                                 {0.44234224, 1.09574885, 2.12161908},
                                 {0.32386406, 1.27897127, 2.09617686},
                                 {0.28271651, 1.47326577, 2.19946021},
                                 {0.31178663, 1.5, 2.11461607},
                                 {0.20492641, 1.5, 2.32358472}});
  }
}

TEST_CASE("norms of micro-batches are taken before they are summed", "[train][lr_scaling]") {
  const std::vector<Range> ranges = {{.begin = 0, .end = 4}, {.begin = 4, .end = 8}};
  recipe::LrScalingConfig config;
  config.op = "lena";
  LrScaling scaling(config, {.micro_batches = 4, .updates = 10, .batches = 40}, ranges);
  // The first range: the same gradient four times. The second: four orthogonal ones of equal norm.
  for (int i = 0; i < 4; ++i) {
    std::vector<float> numbers = {300, 0, 400, 0, 0, 0, 0, 0};
    numbers[std::size_t(4 + i)] = 500;
    scaling.add_batch(gradient(numbers), 2);
  }
  const Pace pace = scaling.finish(gradient({300, 0, 400, 0, 125, 125, 125, 125}), {.lr = 0.1}, 0);
  CHECK(pace.lr == 0.1);
  REQUIRE(pace.factors.size() == 2);
  CHECK(pace.factors[0] == Approx(1).epsilon(1e-6));
  CHECK(pace.factors[1] == Approx(4).epsilon(1e-6));
  CHECK(scaling.gain() == Approx(2.5).epsilon(1e-6));
}

TEST_CASE("kernels measure the norms that the loops do", "[train][lr_scaling]") {
  const std::vector<Range> ranges = {{.begin = 0, .end = 2}, {.begin = 4, .end = 5}};
  const std::vector<double> squares = squares_by_kernels(gradient({3, 4, 9, 9, -5}), ranges);
  REQUIRE(squares.size() == 2);
  CHECK(squares[0] == Approx(25).epsilon(1e-6));
  CHECK(squares[1] == Approx(25).epsilon(1e-6));
}

TEST_CASE("pieces leave the same bits as one run, with gains and warm-ups", "[train][lr_scaling][resume]") {
  for (const char* op : {"linear", "adascale", "lena"}) {
    Json trial = digits_trial();
    trial["batch_size"] = 16;
    trial["accumulate"] = 4;
    trial["clip_norm"] = 1.0;
    trial["lr_scaling"] = {{"op", op}, {"warmup", "layer_wise"}, {"alpha", 0.5}};
    Fixture fixture(trial);
    const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
    REQUIRE(whole.outcome == trial::Outcome::completed);
    const trial::PieceResult first = fixture.run(fixture.order(0, 1));
    trial::PieceOrder order = fixture.order(1, 4);
    order.resume = artifact(first, "last");
    const trial::PieceResult second = fixture.run(order);
    CHECK(artifact(second, "last") == artifact(whole, "last"));
    CHECK(metric(whole.reports.back(), "val.accuracy") > 0.8);
    FakeHost stopped(17), again;  // within the warm-up, within an epoch
    const std::string lost = std::string("lost") + op;
    CHECK_THROWS_AS(fixture.run(fixture.order(0, 4, lost), stopped), trial::Stopped);
    order = fixture.order(0, 4, std::string("again") + op);
    order.partial = fixture.folder.make(lost);
    CHECK(artifact(fixture.run(order, again), "last") == artifact(whole, "last"));
    CHECK(again.lines.front().find("resumed from") == 0);
  }
}

TEST_CASE("curves have the mean gain, and the rate with its factor", "[train][lr_scaling]") {
  Json trial = digits_trial();
  trial["batch_size"] = 16;
  trial["accumulate"] = 4;
  trial["schedule"] = {{"op", "constant"}};
  trial["log"] = {{"every", 1}};
  trial["lr_scaling"] = {{"op", "lena"}, {"warmup", "none"}};
  Fixture fixture(trial);
  FakeHost host;
  fixture.run(fixture.order(0, 1), host);
  for (const trial::Report& point : host.curve) {
    CHECK(metric(point, "lr.gain") >= 1);
    CHECK(metric(point, "lr.gain") <= 4);
    CHECK(metric(point, "lr") == Approx(0.05 * metric(point, "lr.gain")));
  }
  CHECK(host.curve.size() == 20);
}

TEST_CASE("ranks that average gradients scale as micro-batches of one machine do", "[train][lr_scaling][ranks]") {
  for (const Json& scaling :
       {Json{{"op", "linear"}, {"warmup", "fixed"}, {"warmup_share", 0.5}}, Json{{"op", "adascale"}},
        Json{{"op", "lena"}, {"alpha", 0.3}}, Json{{"op", "sqrt"}, {"warmup", "layer_wise"}}}) {
    Json trial = digits_trial();
    trial["model"]["nodes"] = {{{"name", "fc1"}, {"op", "linear"}, {"out", 16}},
                               {{"name", "act1"}, {"op", "tanh"}},
                               {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
    trial["batch_size"] = 16;  // 79 batches: the last round has three
    trial["epochs"] = 2;
    trial["log"] = {{"every", 1}};
    trial["lr_scaling"] = scaling;
    Json one = trial;
    one["accumulate"] = 4;
    FakeHost machine;
    Fixture alone(one);
    alone.run(alone.order(0, 2), machine);
    for (const Json& method :
         {Json{{"op", "bsp"}, {"ranks", 4}}, Json{{"op", "bsp"}, {"ranks", 4}, {"aggregate", 2}},
          Json{{"op", "ar_sgd"}, {"ranks", 4}}, Json{{"op", "ar_sgd"}, {"ranks", 4}, {"reduce", "ring"}},
          Json{{"op", "ar_sgd"}, {"ranks", 4}, {"wait_free", true}, {"bucket_bytes", 1000}}}) {
      INFO(scaling << method);
      trial["parallel"] = method;
      FakeHost gang;
      Fixture ranks(trial);
      ranks.run(ranks.order(0, 2), gang);
      REQUIRE(gang.curve.size() == machine.curve.size());
      for (std::size_t i = 0; i < gang.curve.size(); ++i)
        CHECK(metric(gang.curve[i], "train.loss") == Approx(metric(machine.curve[i], "train.loss")).epsilon(1e-4));
      for (const char* name : {"lr", "lr.gain"})  // all steps of the epoch have been taken by then
        CHECK(metric(gang.curve.back(), name) == Approx(metric(machine.curve.back(), name)).epsilon(1e-4));
    }
  }
}

TEST_CASE("pieces of a gang leave the same bits, with gains", "[train][lr_scaling][ranks][resume]") {
  for (const char* op : {"bsp", "ar_sgd"}) {
    Json trial = digits_trial();
    trial["batch_size"] = 16;
    trial["parallel"] = {{"op", op}, {"ranks", 4}};
    trial["lr_scaling"] = {{"op", "lena"}, {"alpha", 0.5}};
    Fixture fixture(trial);
    const trial::PieceResult whole = fixture.run(fixture.order(0, 4));
    REQUIRE(whole.outcome == trial::Outcome::completed);
    const trial::PieceResult first = fixture.run(fixture.order(0, 1));
    trial::PieceOrder order = fixture.order(1, 4);
    order.resume = artifact(first, "last");
    CHECK(artifact(fixture.run(order), "last") == artifact(whole, "last"));
  }
}

TEST_CASE("fixed factors go with every method, in the place of its own", "[train][lr_scaling][ranks]") {
  for (const char* method : {"asp", "easgd", "local_sgd"}) {
    Json trial = digits_trial();
    trial["schedule"] = {{"op", "constant"}};
    trial["parallel"] = {{"op", method}, {"ranks", 4}};
    trial["log"] = {{"every", 1}};
    trial["lr_scaling"] = {{"op", "sqrt"}};
    FakeHost host;
    Fixture fixture(trial);
    fixture.run(fixture.order(0, 1), host);
    CHECK(metric(host.curve.front(), "lr") == Approx(0.05 * 2));
  }
}

TEST_CASE("gradients that a round drops do not scale its rate", "[train][lr_scaling][ranks]") {
  const auto rate_of = [](int ranks, const char* op) {
    Json trial = digits_trial();
    trial["schedule"] = {{"op", "constant"}};
    trial["parallel"] = {{"op", "bsp"}, {"ranks", ranks}, {"drop_slowest", 2}};
    trial["log"] = {{"every", 1}};
    trial["lr_scaling"] = {{"op", op}};
    FakeHost host;
    Fixture fixture(trial);
    fixture.run(fixture.order(0, 1), host);
    return metric(host.curve.front(), "lr");
  };
  CHECK(rate_of(6, "linear") == Approx(0.05 * 4));
  CHECK(rate_of(6, "sqrt") == Approx(0.05 * 2));
  CHECK(rate_of(3, "linear") == Approx(0.05));
}

TEST_CASE("gains are refused where no mean gradient is", "[train][lr_scaling][ranks]") {
  for (const Json& method :
       {Json{{"op", "easgd"}, {"ranks", 4}}, Json{{"op", "bsp"}, {"ranks", 4}, {"momentum", "worker"}},
        Json{{"op", "bsp"}, {"ranks", 4}, {"drop_slowest", 1}}}) {
    Json trial = digits_trial();
    trial["parallel"] = method;
    trial["lr_scaling"] = {{"op", "adascale"}};
    Fixture fixture(trial);
    CHECK_THROWS_WITH(make_training(fixture.setup, fixture.order(0, 1)), Contains("ar_sgd"));
  }
}

}  // namespace lr_scaling_test
