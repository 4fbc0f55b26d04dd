// SPDX-License-Identifier: Apache-2.0
// A placement decided for a model: the numbers are worked out by hand.
#include "recipe/device_plan.hpp"

#include <algorithm>

#include "model/placement_graph.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace device_plan_test {

using namespace dlrun;
using namespace dlrun::recipe;

namespace {

/// Two branches that read the input and are added.
model::Graph branches() {
  const Json nodes = {{{"name", "a"}, {"op", "linear"}, {"out", 4}},
                      {{"name", "b"}, {"op", "linear"}, {"out", 4}, {"from", "input"}},
                      {{"name", "sum"}, {"op", "add"}, {"from", {"a", "b"}}}};
  return model::build({{"nodes", nodes}}, {{{"x", {6}}}, 4, 1});
}

FoundPlacement measured() {
  FoundPlacement config;
  config.profile = "graph.json";
  config.seconds = {{"a", {3e-3, 3e-3}}, {"b", {4e-3, 4e-3}}, {"sum", {1e-3, 1e-3}}};
  return config;
}

}  // namespace

TEST_CASE("a layer's cost is estimated from its operations or its bytes", "[recipe][placement]") {
  const model::SecondsByLayer seconds = model::estimated_seconds(branches(), 1000);
  // 24 multiply-adds an example: 48,000 operations at 20e9 a second take 2.4 us; (10,000 numbers + 28 weights) x 4
  // bytes at 5e9 a second take 8.0224 us, which is more
  CHECK(seconds.at("a").forward == Approx(2e-6 + 8.0224e-6));
  CHECK(seconds.at("a").backward == Approx(2e-6 + 2 * 8.0224e-6));
  CHECK(seconds.at("sum").forward == Approx(2e-6 + 12 * 1000 * 4 / 5e9));  // no weights
  CHECK(seconds.at("sum").backward == Approx(2e-6 + 12 * 1000 * 4 / 5e9));
}

TEST_CASE("branches go to two devices, and the step takes as long as the longer one", "[recipe][placement]") {
  FoundPlacement config = measured();
  config.placer = GENERATE("auto", "heft", "greedy", "anneal");
  const DevicePlan plan = plan_devices(branches(), config, {2, 8});
  CHECK(plan.alone == Approx(16e-3));
  CHECK(plan.seconds == Approx(10e-3));  // b and sum, forward and backward; a and both transfers (20 us) fit beside b
  CHECK(plan.devices[0] != plan.devices[1]);
  CHECK(plan.devices[1] == plan.devices[2]);
  const auto with_b = std::size_t(plan.devices[1]);
  CHECK(plan.forward[with_b] == std::vector<std::size_t>{1, 2});
  CHECK(plan.backward[with_b] == std::vector<std::size_t>{2, 1});
  CHECK(plan.forward[1 - with_b] == std::vector<std::size_t>{0});
}

TEST_CASE("a placement that is given is taken, and must be the model's", "[recipe][placement]") {
  const GivenPlacement all{"p.json", {{"a", 1}, {"b", 0}, {"sum", 1}}};
  CHECK(plan_devices(branches(), all, {2, 8}).devices == std::vector<int>{1, 0, 1});
  CHECK_THROWS_WITH(plan_devices(branches(), GivenPlacement{"p.json", {{"a", 1}, {"sum", 1}}}, {2, 8}),
                    Contains("'p.json' says nothing of the layer 'b'"));
  CHECK_THROWS_WITH(plan_devices(branches(), GivenPlacement{"p.json", {{"a", 0}, {"b", 0}, {"sum", 2}}}, {2, 8}),
                    Contains("puts 'sum' on device 2, but there are 2"));
}

TEST_CASE("a file may name layers that a variant of an ablation lacks", "[recipe][placement]") {
  const GivenPlacement more{
      "p.json", {{"a", 1}, {"b", 0}, {"sum", 1}, {"z", 1}}, {{"b"}, {"z", "a", "sum"}}, {{"b"}, {"sum", "a", "z"}}};
  const DevicePlan plan = plan_devices(branches(), more, {2, 8});
  CHECK(plan.devices == std::vector<int>{1, 0, 1});
  CHECK(plan.forward == std::vector<std::vector<std::size_t>>{{1}, {0, 2}});
  CHECK_THROWS_WITH(require_no_other_layers(branches(), more), Contains("the model has no layer 'z', which 'p.json'"));
  CHECK_NOTHROW(require_no_other_layers(branches(), GivenPlacement{"p.json", {{"x", 0}, {"a", 1}, {"sum", 1}}}));
  FoundPlacement profiled = measured();
  profiled.seconds["z"] = {1, 1};
  CHECK(plan_devices(branches(), profiled, {2, 8}).seconds == Approx(10e-3));
  CHECK_THROWS_WITH(require_no_other_layers(branches(), profiled), Contains("no layer 'z', which 'graph.json'"));
}

// First come, first served device 0 computes a before b, which is below it in the model.
TEST_CASE("devices take the turns that a file gives, and only such as end", "[recipe][placement]") {
  const std::map<std::string, int> one{{"a", 0}, {"b", 0}, {"sum", 0}}, two{{"a", 0}, {"b", 1}, {"sum", 0}};
  const auto plan = [&](const GivenPlacement& file) { return plan_devices(branches(), file, {2, 8}); };
  CHECK(plan({"p.json", one}).forward[0] == std::vector<std::size_t>{0, 1, 2});
  const DevicePlan turned = plan({"p.json", one, {{"x", "b", "a", "sum"}, {}}, {{"sum", "a", "b"}, {}}});
  CHECK(turned.forward == std::vector<std::vector<std::size_t>>{{1, 0, 2}, {}});
  CHECK(turned.backward == std::vector<std::vector<std::size_t>>{{2, 0, 1}, {}});
  CHECK_THROWS_WITH(plan({"p.json", one, {{"b", "a"}}, {{"sum", "a", "b"}}}),
                    Contains("'p.json' says not when 'sum' is computed forward"));
  CHECK_THROWS_WITH(plan({"p.json", one, {{"b", "a", "sum"}}, {{"sum", "a", "b", "a"}}}),
                    Contains("'p.json' computes 'a' backward, which is there twice or no layer"));
  CHECK_THROWS_WITH(plan({"p.json", two, {{"a", "b", "sum"}}, {{"sum", "a"}, {"b"}}}),
                    Contains("'p.json' computes 'b' forward on device 0, and places it on 1"));
  CHECK_THROWS_WITH(plan({"p.json", two, {{"sum", "a"}, {"b"}}, {{"sum", "a"}, {"b"}}}),
                    Contains("in the order of 'p.json' devices wait for each other for ever"));
}

TEST_CASE("a profile of another model is refused", "[recipe][placement]") {
  FoundPlacement config = measured();
  config.seconds.erase("b");
  CHECK_THROWS_WITH(plan_devices(branches(), config, {2, 8}), Contains("'graph.json' says nothing of the layer 'b'"));
}

/// A chain of three layers of 2 s a batch forward and backward together, with tensors that weigh nothing beside it.
FoundPlacement chain_costs(const std::string& schedule) {
  FoundPlacement config;
  config.profile = "graph.json";
  config.schedule = schedule;
  config.seconds = {{"a", {1, 1}}, {"b", {1, 1}}, {"c", {1, 1}}};
  return config;
}

model::Graph chain() {
  const Json nodes = {{{"name", "a"}, {"op", "linear"}, {"out", 4}},
                      {{"name", "b"}, {"op", "linear"}, {"out", 4}},
                      {{"name", "c"}, {"op", "linear"}, {"out", 4}}};
  return model::build({{"nodes", nodes}}, {{{"x", {6}}}, 4, 1});
}

// Huang et al. 2019: M batches through P equal stages take (M + P - 1) times one stage's time.
TEST_CASE("a pipeline of equal stages takes as long as its formula says", "[recipe][placement][pipeline]") {
  const std::string schedule = GENERATE("gpipe", "1f1b");
  const int batches = GENERATE(2, 4, 8);
  const DevicePlan plan = plan_devices(chain(), chain_costs(schedule), {3, 8, batches});
  CHECK(plan.alone == Approx(batches * 6));
  CHECK(plan.seconds == Approx((batches + 3 - 1) * 2).epsilon(1e-3));  // a transfer takes 20 us
  CHECK(plan.devices == std::vector<int>{0, 1, 2});
  CHECK(plan.forward == std::vector<std::vector<std::size_t>>{{0}, {1}, {2}});
}

TEST_CASE("devices of a pipeline have their tasks in the schedule's order", "[recipe][placement][pipeline]") {
  const auto words = [](const std::vector<model::PipelineTask>& tasks) {
    std::string all;
    for (const model::PipelineTask& task : tasks) all += "FBL"[std::size_t(task.work)] + std::to_string(task.batch);
    return all;
  };
  const DevicePlan one = plan_devices(chain(), chain_costs("1f1b"), {3, 8, 3});
  REQUIRE(one.pipeline);
  CHECK(words(one.pipeline->of(3)[0]) == "F0F1F2B0B1B2");
  CHECK(words(one.pipeline->of(3)[1]) == "F0F1B0F2B1B2");
  CHECK(words(one.pipeline->of(3)[2]) == "F0L0B0F1L1B1F2L2B2");
  CHECK(words(one.pipeline->of(1)[2]) == "F0L0B0");
  const DevicePlan all = plan_devices(chain(), chain_costs("gpipe"), {3, 8, 3});
  CHECK(words(all.pipeline->of(3)[2]) == "F0F1F2L0B0L1B1L2B2");
  CHECK_FALSE(plan_devices(chain(), chain_costs(""), {3, 8, 3}).pipeline);
  CHECK_FALSE(plan_devices(chain(), chain_costs("gpipe"), {3, 8, 1}).pipeline);  // one batch has nothing to follow it
}

// The output "early" stands on the first device, "late" on the second: there the loss makes nobody wait.
TEST_CASE("the loss is taken on the device of the last stage", "[recipe][placement][pipeline]") {
  const Json nodes = {{{"name", "a"}, {"op", "linear"}, {"out", 4}}, {{"name", "b"}, {"op", "linear"}, {"out", 3}}};
  const model::Interface two{{{"x", {6}}}, 0, 1, {}, {}, {{"early", {0, 4}}, {"late", {0, 3}}}};
  const model::Graph graph = model::build({{"nodes", nodes}, {"outputs", {{"early", "a"}, {"late", "b"}}}}, two);
  const GivenPlacement file{"p.json", {{"a", 0}, {"b", 1}}, {}, {}, "gpipe"};
  const auto tasks = plan_devices(graph, file, {2, 8, 2}).pipeline.value().of(2);
  const auto losses = [](const auto& own) {
    return std::count_if(own.begin(), own.end(), [](const auto& t) { return t.work == model::PipelineWork::loss; });
  };
  CHECK(losses(tasks[0]) == 0);
  CHECK(losses(tasks[1]) == 2);
}

// The input is kept on the first device, where the last layer is; it is everywhere, so only a and b make the sum wait.
TEST_CASE("inputs make no device of a pipeline wait", "[recipe][placement][pipeline]") {
  const GivenPlacement file{"p.json", {{"a", 1}, {"b", 1}, {"sum", 0}}, {}, {}, "1f1b"};
  CHECK(plan_devices(branches(), file, {2, 8, 4}).pipeline);
}

TEST_CASE("a pipeline is cut along the order that is named", "[recipe][placement][pipeline]") {
  FoundPlacement config = chain_costs("gpipe");
  config.order = "topo";
  CHECK(plan_devices(chain(), config, {3, 8, 4}).devices == std::vector<int>{0, 1, 2});
  config.order = "reversed-topo";
  CHECK(plan_devices(chain(), config, {3, 8, 4}).devices == std::vector<int>{2, 1, 0});
  config.order = "auto";
  config.placer = "split";
  CHECK(plan_devices(chain(), config, {3, 8, 4}).devices == std::vector<int>{0, 1, 2});
}

TEST_CASE("what cannot be a pipeline is refused", "[recipe][placement][pipeline]") {
  CHECK_THROWS_WITH(plan_devices(chain(), chain_costs("gpipe"), {3, 8, 257}), Contains("256 batches a step at most"));
  GivenPlacement back{"p.json", {{"a", 0}, {"b", 1}, {"c", 0}}};
  CHECK_NOTHROW(plan_devices(chain(), back, {2, 8, 4}));
  back.schedule = "gpipe";
  CHECK_THROWS_WITH(plan_devices(chain(), back, {2, 8, 4}), Contains("would wait for each other"));
}

}  // namespace device_plan_test
