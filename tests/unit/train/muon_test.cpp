// SPDX-License-Identifier: Apache-2.0
// Muon against tests/golden/torch/muon.json, by torch.optim.Muon.
#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "train/layout.hpp"
#include "train/optimizer.hpp"
#include "unit/train/walk_cases.hpp"
#include "util/files.hpp"

namespace muon_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Layout layout_of(const Json& golden, double weight_decay) {
  Layout layout;
  for (std::size_t i = 0; i < golden.at("sizes").size(); ++i) {
    const std::size_t begin = layout.size, count = golden["sizes"][i].get<std::size_t>();
    layout.ranges.push_back({begin, begin + count, 1, weight_decay, golden.at("rows")[i].get<std::size_t>()});
    layout.size = (begin + count + 15) / 16 * 16;
  }
  return layout;
}

std::vector<float> spread(const Json& numbers, const Layout& layout) {
  std::vector<float> flat(layout.size);
  std::size_t next = 0;
  for (const Range& range : layout.ranges) {
    for (std::size_t i = range.begin; i < range.end; ++i) flat[i] = numbers[next++].get<float>();
  }
  return flat;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(double(a[i]) - double(b[i])));
  return most;
}

}  // namespace

TEST_CASE("twenty steps of muon agree with torch.optim.Muon", "[train][optimizer][golden]") {
  const Json golden = parse_json(read_file(DLRUN_SOURCE_DIR "/tests/golden/torch/muon.json"), "muon.json");
  for (const Json& item : golden.at("cases")) {
    INFO(item.at("config"));
    const OptimizerConfig config = recipe::read_optimizer({{"optimizer", item.at("config")}});
    const Layout layout = layout_of(golden, config.weight_decay);
    const std::vector<float> start = spread(golden.at("start"), layout);
    std::vector<float> values = start;
    const auto optimizer = make_optimizer(config, layout);
    std::int64_t step = 0;
    for (const Json& push : golden.at("pushes")) {
      std::vector<float> grads = spread(push, layout);
      for (std::size_t i = 0; i < grads.size(); ++i) grads[i] += 0.5f * values[i];
      const double lr = step < 10 ? config.lr : config.lr / 2;
      optimizer->step(values.data(), grads.data(), {.step = ++step, .lr = lr});
    }
    CHECK(difference(values, spread(item.at("end"), layout)) <= 1e-5);
    // Each step of PyTorch's is rounded to eight bits; all of them together are at most 15 rates long.
    CHECK(difference(values, spread(item.at("bfloat16"), layout)) <= 0.03 * 15 * config.lr);
    CHECK(difference(values, start) > 5 * config.lr);
  }
}

TEST_CASE("a step of muon is nearly orthogonal, a matrix without gradient stays", "[train][optimizer]") {
  const OptimizerConfig config = recipe::read_optimizer({{"optimizer", {{"op", "muon"}, {"weight_decay", 0}}}});
  const Layout layout{64 * 32, {{.begin = 0, .end = 64 * 32, .rows = 64}}};
  at::Tensor values = at::zeros({64, 32}), grads = at::zeros({64, 32});
  make_optimizer(config, layout)->step(values.data_ptr<float>(), grads.data_ptr<float>(), {.step = 1, .lr = 1});
  CHECK(values.eq(0).all().item<bool>());
  grads = at::arange(64 * 32, at::kFloat).mul(0.7).sin().view({64, 32}) + at::eye(64, 32).mul(3);
  make_optimizer(config, layout)->step(values.data_ptr<float>(), grads.data_ptr<float>(), {.step = 1, .lr = 1});
  const at::Tensor sizes = at::linalg_svdvals(values / std::sqrt(2.0), c10::nullopt);  // sqrt(rows / columns)
  CHECK(sizes.max().item<float>() < 1.3f);
  CHECK(sizes.min().item<float>() > 0.5f);
  CHECK((values * grads).sum().item<float>() < 0);
}

TEST_CASE("the layout gives hidden matrices their rows", "[train][optimizer]") {
  Walk walk{"hidden", "row", small_trial()};
  walk.trial["model"]["nodes"] = nodes_with_hidden();
  const Ingredients of = ingredients_of(walk);
  const nn::Parameters parameters(of.graph);
  const Layout layout = make_layout(of.config.optimizer, of.graph, parameters);
  for (const Range& range : layout.ranges) {
    const bool is_hidden = std::int64_t(range.begin) == parameters.find("hidden.weight")->offset;
    CHECK(range.rows == (is_hidden ? 4U : 0U));
  }
}

}  // namespace muon_test
