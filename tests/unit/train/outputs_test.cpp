// SPDX-License-Identifier: Apache-2.0
// Several outputs of a model: what is measured of each, and what auxiliary ones change.
#include <algorithm>

#include <ATen/ATen.h>

#include "unit/train/walk_cases.hpp"
#include "util/error.hpp"

namespace outputs_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

std::vector<std::string> names_of(const std::vector<trial::Metric>& metrics) {
  std::vector<std::string> names;
  for (const trial::Metric& metric : metrics) names.push_back(metric.name);
  return names;
}

double value(const std::vector<trial::Metric>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == name; });
  REQUIRE(found != metrics.end());
  return found->value;
}

Walk walk_with(const char* metrics) {
  Walk walk = output_walks().front();
  walk.trial["metrics"] = parse_json(metrics, "metrics");
  return walk;
}

std::vector<trial::Metric> last_report(const Walk& walk) {
  const std::unique_ptr<Training> training = begin(walk);
  finish(*training);
  return training->state().reports.back().metrics;
}

}  // namespace

TEST_CASE("every output has its own loss and metrics, an auxiliary one in training only", "[train][outputs]") {
  const std::vector<trial::Metric> metrics = last_report(walk_with(R"({"kind": ["accuracy"], "size": ["mae", "r2"]})"));
  CHECK(names_of(metrics) == std::vector<std::string>{"train.loss", "train.early.loss", "train.kind.loss",
                                                      "train.kind.accuracy", "train.size.loss", "train.size.mae",
                                                      "train.size.r2", "val.loss", "val.kind.loss", "val.kind.accuracy",
                                                      "val.size.loss", "val.size.mae", "val.size.r2"});
  CHECK(value(metrics, "train.loss") == value(metrics, "train.early.loss") * 0.3 + value(metrics, "train.kind.loss") +
                                            value(metrics, "train.size.loss") * 0.5);
  CHECK(value(metrics, "val.loss") == value(metrics, "val.kind.loss") + value(metrics, "val.size.loss") * 0.5);
}

TEST_CASE("what is left out is by the data: accuracy for classes, mae for numbers", "[train][outputs]") {
  const std::vector<std::string> names = names_of(last_report(walk_with("{}")));
  for (const char* name : {"val.kind.accuracy", "val.size.mae"}) {
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}

TEST_CASE("one output with a name trains to the bits of one without", "[train][outputs]") {
  Walk plain{"plain", "row", small_trial()}, named = plain;
  named.trial["model"]["outputs"] = {{"kind", "head"}};
  named.trial["loss"] = {{"kind", "cross_entropy"}};
  const std::unique_ptr<Training> a = begin(plain), b = begin(named);
  finish(*a);
  finish(*b);
  CHECK(a->network().parameters().values().equal(b->network().parameters().values()));
  CHECK(value(a->state().reports.back().metrics, "val.loss") ==
        value(b->state().reports.back().metrics, "val.kind.loss"));
}

TEST_CASE("a weight scales what an output adds to the gradient", "[train][outputs]") {
  Walk light = walk_with("{}"), heavy = light;
  light.trial["loss"]["size"]["weight"] = 1e-30;
  heavy.trial["loss"]["size"]["weight"] = 2.0;
  const std::unique_ptr<Training> a = begin(light), b = begin(heavy);
  const at::Tensor before = a->network().parameters().find("sizes.weight")->value.clone();
  a->step();
  b->step();
  CHECK(a->network().parameters().find("sizes.weight")->value.equal(before));
  CHECK_FALSE(b->network().parameters().find("sizes.weight")->value.equal(before));
}

TEST_CASE("the first step along an output's own gradient is as long as its weight says", "[train][outputs]") {
  const auto moved = [](double weight) {
    Walk walk = walk_with("{}");
    walk.trial["loss"]["size"]["weight"] = weight;
    const std::unique_ptr<Training> training = begin(walk);
    const at::Tensor before = training->network().parameters().find("sizes.weight")->value.clone();
    training->step();
    return training->network().parameters().find("sizes.weight")->value - before;
  };
  CHECK(at::allclose(moved(0.75), 3 * moved(0.25), 1e-3, 1e-7));
}

TEST_CASE("outputs and targets that do not belong together are refused", "[train][outputs]") {
  const auto fault_of = [](const Walk& walk) {
    try {
      begin(walk);
      return std::string("no fault");
    } catch (const Error& fault) {
      return fault.what() + std::string(" | ") + fault.hint();
    }
  };
  Walk none = walk_with("{}");
  none.trial["model"].erase("outputs");
  none.trial["loss"] = nullptr;
  none.trial["metrics"] = nullptr;
  CHECK(fault_of(none) ==
        "model: the data has several targets, but the model names no outputs | the targets are kind, size");
  Walk unknown = walk_with("{}");
  unknown.trial["model"]["outputs"]["early"]["target"] = "sort";
  CHECK(fault_of(unknown) == "model.outputs.early: there is no target 'sort' | the targets are kind, size");
}

}  // namespace outputs_test
