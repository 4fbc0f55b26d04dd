// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/catch.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace trainer_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json regression_trial(const std::filesystem::path& folder) {
  std::string csv;
  for (int i = 0; i < 400; ++i) {
    const double a = (i * 37 % 101) / 101.0, b = (i * 53 % 97) / 97.0;
    csv += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(3 * a - 2 * b + 1) + "\n";
  }
  write_file(folder / "plane.csv", csv);
  Json trial = digits_trial();
  trial["data"] = {{"op", "csv"},          {"path", folder / "plane.csv"},
                   {"header", false},      {"target", -1},
                   {"task", "regression"}, {"split", {{"train", 0.7}, {"val", 0.15}, {"test", 0.15}}}};
  trial["model"]["nodes"] = {{{"name", "fc1"}, {"op", "linear"}, {"out", 16}},
                             {{"name", "act1"}, {"op", "tanh"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "targets"}, {"role", "head"}}};
  trial["loss"] = "mse";
  trial["metrics"] = {"mae", "rmse", "mse", "r2"};
  trial["epochs"] = 30;
  trial["batch_size"] = 16;
  return trial;
}

/// The memory of a GPU ends in the middle of a training, as its allocator says it.
class FullHost final : public trial::Host {
 public:
  explicit FullHost(std::function<void()> end) : end_(std::move(end)) {}
  void report(const trial::Report&) override {}
  void step() override {
    if (--left_ == 0) end_();
  }
  bool is_stopping() const override { return false; }
  void log(const std::string&) override {}

 private:
  int left_ = 50;
  std::function<void()> end_;
};

}  // namespace

TEST_CASE("the digits are learnt in a few epochs", "[train]") {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "fc1"}, {"op", "linear"}, {"out", 128}},
                             {{"name", "act1"}, {"op", "relu"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["epochs"] = 8;
  trial["batch_size"] = 32;
  Fixture fixture(trial);
  FakeHost host;
  const trial::PieceResult result = fixture.run(fixture.order(0, 8), host);
  REQUIRE(result.outcome == trial::Outcome::completed);
  REQUIRE(result.reports.size() == 8);
  CHECK(metric(result.reports.back(), "val.accuracy") >= 0.95);
  CHECK(metric(result.reports.back(), "train.loss") < metric(result.reports.front(), "train.loss"));
  CHECK(metric(result.reports.back(), "train.accuracy") > 0.95);
  CHECK(metric(result.reports.back(), "val.loss") > 0);
  CHECK(host.reports == result.reports);
  CHECK(host.steps >= 8 * 40);

  trial::PieceOrder test = fixture.order(8, 8, "t");
  test.task = "test";
  test.resume = artifact(result, "best");
  const trial::PieceResult tested = fixture.run(test);
  REQUIRE(tested.reports.size() == 1);
  CHECK(metric(tested.reports[0], "test.accuracy") >= 0.93);
  CHECK(tested.artifacts.empty());
}

TEST_CASE("the best epoch's weights are kept beside the last", "[train]") {
  Fixture fixture;
  const trial::PieceResult result = fixture.run(fixture.order(0, 4));
  REQUIRE(result.artifacts.size() == 2);
  std::int64_t best = 1;
  for (const trial::Report& report : result.reports) {
    if (metric(report, "val.accuracy") > metric(result.reports[std::size_t(best - 1)], "val.accuracy"))
      best = report.step;
  }
  CHECK(result.artifacts[0].role == "last");
  CHECK(result.artifacts[0].step == 4);
  CHECK(result.artifacts[1].role == "best");
  CHECK(result.artifacts[1].step == best);
  for (const trial::Artifact& a : result.artifacts) {
    CHECK(std::filesystem::file_size(artifact_path(fixture.setup.artifacts, a.sha256)) == std::uintmax_t(a.bytes));
  }
}

TEST_CASE("a piece without progress names the best of the pieces before it", "[train]") {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 1e-300}};  // 0 in float
  Fixture fixture(trial);
  trial::PieceOrder order = fixture.order(1, 4);
  order.resume = artifact(fixture.run(fixture.order(0, 1)), "last");
  const trial::PieceResult second = fixture.run(order);
  CHECK(artifact(second, "best") == order.resume);
  CHECK(second.artifacts[1].step == 1);
  CHECK(artifact(second, "last") != order.resume);
}

TEST_CASE("without keep_best only the last is kept", "[train]") {
  Fixture fixture;
  fixture.setup.keep_best = false;
  const trial::PieceResult result = fixture.run(fixture.order(0, 2));
  REQUIRE(result.artifacts.size() == 1);
  CHECK(result.artifacts[0].role == "last");
}

TEST_CASE("a checkpoint has PyTorch's names and the optimiser's state beside them", "[train]") {
  Fixture fixture;
  const std::string bytes = fetch(fixture.setup.artifacts, artifact(fixture.run(fixture.order(0, 1)), "last"));
  const SafeTensors file(bytes, "checkpoint");
  REQUIRE(file.find("model.fc1.weight"));
  CHECK(file.find("model.fc1.weight")->shape == std::vector<std::int64_t>{32, 64});
  CHECK(file.find("model.bn1.running_var"));
  CHECK(file.find("model.bn1.num_batches_tracked")->dtype == "I64");
  CHECK(file.find("opt.head.bias.momentum")->shape == std::vector<std::int64_t>{10});
  CHECK_FALSE(file.find("opt.bn1.running_mean.momentum"));
  CHECK(parse_json(file.metadata().at("state"), "state").at("epoch") == 1);
}

TEST_CASE("numbers are fitted, with regression's metrics", "[train]") {
  TempFolder folder;
  const std::string loss = GENERATE("mse", "mae", "huber");
  Json trial = regression_trial(folder.make("data"));
  trial["loss"] = loss;
  Fixture fixture(trial);
  fixture.setup.metric = "val.mae";
  fixture.setup.maximize = false;
  const trial::PieceResult result = fixture.run(fixture.order(0, 30));
  REQUIRE(result.outcome == trial::Outcome::completed);
  const trial::Report& last = result.reports.back();
  INFO(loss);
  CHECK(metric(last, "val.r2") > 0.95);
  CHECK(metric(last, "val.rmse") == Approx(std::sqrt(metric(last, "val.mse"))));
  CHECK(metric(last, "val.mae") < metric(result.reports.front(), "val.mae"));
  if (loss == "mse") CHECK(metric(last, "val.loss") == Approx(metric(last, "val.mse")));
}

TEST_CASE("a training that diverges ends as failed at once", "[train]") {
  Json trial = digits_trial();
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 1e30}};
  Fixture fixture(trial);
  const trial::PieceResult result = fixture.run(fixture.order(0, 4));
  CHECK(result.outcome == trial::Outcome::failed);
  CHECK(result.cause == trial::Cause::nan);
  CHECK_THAT(result.message, Contains("training diverged: ") && Contains("in epoch 1, step "));
  CHECK(result.reports.empty());
  CHECK(result.artifacts.empty());
}

TEST_CASE("a trial whose memory ends fails with that cause, and the next one is as if alone", "[train]") {
  Fixture fixture;
  Trainer trainer(fixture.setup);
  using Fault = std::function<void()>;
  const Fault allocator = [] {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 9 GiB");
  };
  const Fault library = [] { TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"); };
  FullHost full(GENERATE_COPY(values({allocator, library})));
  const trial::PieceResult failed = trainer.run(fixture.order(0, 4), full);
  CHECK(failed.outcome == trial::Outcome::failed);
  CHECK(failed.cause == trial::Cause::oom);
  CHECK_THAT(failed.message, Contains("out of memory: CUDA "));
  CHECK(failed.artifacts.empty());
  FakeHost host;
  Fixture alone;
  CHECK(trainer.run(fixture.order(0, 2, "a2"), host).reports == alone.run(alone.order(0, 2)).reports);
}

TEST_CASE("what cannot be trained is refused with a reason", "[train]") {
  Json trial = digits_trial();
  std::string message;
  const auto set = [&](const char* key, Json value, const char* expected) {
    trial[key] = std::move(value);
    message = expected;
  };
  SECTION("optimizer") { set("optimizer", {{"op", "sdg"}}, "optimizer.op: there is no 'sdg'"); }
  SECTION("schedule") { set("schedule", {{"op", "cosin"}}, "schedule.op: there is no 'cosin'"); }
  SECTION("loss") { set("loss", "crossentropy", "loss.op: there is no 'crossentropy'"); }
  SECTION("metric") { set("metrics", {"acuracy"}, "metrics: there is no 'acuracy'"); }
  SECTION("metric of another kind") {
    set("metrics", {"r2"}, "metrics: 'r2' is for numbers, but the data has classes");
  }
  SECTION("loss of another kind") { set("loss", "mse", "loss 'mse' cannot use the model's output [10]"); }
  SECTION("learning rate") { set("optimizer", {{"op", "sgd"}, {"lr", -1}}, "optimizer.lr is -1, but must be in"); }
  SECTION("batch size") { set("batch_size", 0, "batch_size is 0"); }
  SECTION("betas") { set("optimizer", {{"op", "adam"}, {"betas", {0.9, 1.0}}}, "optimizer.betas"); }
  SECTION("clip") { set("clip_norm", 0, "clip_norm is 0"); }
  Fixture fixture(trial);
  CHECK_THROWS_WITH(fixture.run(fixture.order(0, 1)), Contains(message));
}

TEST_CASE("an objective that is not measured is refused", "[train]") {
  Fixture fixture;
  fixture.setup.metric = "val.f1";
  CHECK_THROWS_WITH(fixture.run(fixture.order(0, 1)), Contains("the objective 'val.f1' is not measured"));
}

TEST_CASE("a study for a GPU trains on the CPU where there is none, and says so", "[train][device]") {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  Fixture fixture;
  const std::string here = artifact(fixture.run(fixture.order(0, 1)), "last");
  fixture.setup.device = "cuda";
  FakeHost host;
  CHECK(artifact(fixture.run(fixture.order(0, 1, "a2"), host), "last") == here);
  CHECK_THAT(host.lines.front(), Contains("warning: resources.device is 'cuda', but this trial runs on the CPU: "));
  const trial::Runtime runtime = Trainer(fixture.setup).runtime();
  CHECK_THAT(runtime.numerics, Contains(", cpu, "));
  CHECK_THAT(runtime.device, Contains("cpu: "));
  CHECK_THAT(host.lines.front(), Contains(runtime.warning));
}

TEST_CASE("no trainer is made for a device that does not exist", "[train][device]") {
  Fixture fixture;
  fixture.setup.device = "gpu";
  CHECK_THROWS_WITH(fixture.run(fixture.order(0, 1)), Contains("resources.device: there is no 'gpu'"));
}

TEST_CASE("a trial that is shorter than its piece ends with its own last epoch", "[train]") {
  Fixture fixture;
  trial::PieceOrder order = fixture.order(0, 6);
  const trial::PieceResult result = fixture.run(order);
  CHECK(result.outcome == trial::Outcome::early);
  CHECK(result.reports.size() == 4);
  const trial::PieceResult whole = fixture.run(fixture.order(0, 4, "whole"));
  CHECK(whole.outcome == trial::Outcome::completed);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
}

}  // namespace trainer_test
