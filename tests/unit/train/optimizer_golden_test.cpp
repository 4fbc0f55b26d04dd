// SPDX-License-Identifier: Apache-2.0
// Optimisers against tests/golden/torch/optimizers.json: Python's torch.optim, or the method's paper.
#include <cmath>

#include "support/catch.hpp"
#include "train/optimizer.hpp"
#include "util/files.hpp"

namespace optimizer_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json reference(const char* name) {
  return parse_json(read_file(std::string(DLRUN_SOURCE_DIR "/tests/golden/torch/") + name), name);
}

/// Tensors laid out as nn::Parameters does it, each at a multiple of 16 numbers.
Layout layout_of(const Json& sizes, double weight_decay) {
  Layout layout;
  for (const Json& size : sizes) {
    const std::size_t begin = layout.size, count = size.get<std::size_t>();
    layout.ranges.push_back({begin, begin + count, 1, weight_decay});
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

}  // namespace

TEST_CASE("twenty steps of every optimiser agree with PyTorch's or the paper's", "[train][optimizer][golden]") {
  const Json all = reference("optimizers.json");
  for (const Json& item : all.at("cases")) {
    const OptimizerConfig config = recipe::read_optimizer({{"optimizer", item.at("config")}});
    INFO(item.at("config"));
    const Layout layout = layout_of(all.at("sizes"), config.weight_decay);
    std::vector<float> values = spread(all.at("start"), layout);
    const auto optimizer = make_optimizer(config, layout);
    std::int64_t step = 0;
    for (const Json& push : all.at("pushes")) {
      std::vector<float> grads = spread(push, layout);
      for (std::size_t i = 0; i < grads.size(); ++i) grads[i] += 0.5f * values[i];
      const double lr = step < 10 ? config.lr : config.lr / 2;
      optimizer->step(values.data(), grads.data(), {.step = ++step, .lr = lr});
    }
    const std::vector<float> expected = spread(item.at("end"), layout);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      worst = std::max(worst, std::fabs(double(values[i]) - double(expected[i])));
    }
    CHECK(worst <= 1e-5);
    CHECK(step == 20);
  }
}

}  // namespace optimizer_golden_test
