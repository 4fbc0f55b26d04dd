// SPDX-License-Identifier: Apache-2.0
// dropout2d and drop_path: whole channels, whole examples.
#include <cmath>

#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace blocks_test {

using namespace dlrun;

namespace {

nn::GraphModule module_of(const std::string& op) {
  std::vector<model::ModelError> faults;
  const Json nodes = {{{"name", "s"}, {"op", "scale"}, {"factor", 1.0}, {"learned", true}},
                      {{"name", "d"}, {"op", op}, {"p", 0.25}}};
  return {model::build({{"nodes", nodes}}, {{{"x", {50, 3, 4}}}, 0, 1}, &faults), {3, 0}};
}

/// The factors of all blocks: each block has one, 0 or 4 / 3.
at::Tensor factors(const at::Tensor& y, std::int64_t blocks) {
  const at::Tensor rows = y.reshape({blocks, -1});
  CHECK(at::equal(rows, rows.narrow(1, 0, 1).expand_as(rows)));
  return rows.select(1, 0);
}

}  // namespace

TEST_CASE("channels and examples are left out as a whole, about one in four", "[nn][dropout]") {
  const auto [op, blocks] = GENERATE(table<std::string, std::int64_t>({{"dropout2d", 2000}, {"drop_path", 40}}));
  nn::GraphModule module = module_of(op);
  const at::Tensor x = at::ones({40, 50, 3, 4});
  const at::Tensor y = module.forward({x}, {.training = true, .step = 5});
  const at::Tensor kept = factors(y, blocks);
  const double left_out = (kept == 0).sum().item<double>() / double(blocks);
  CHECK(left_out == Approx(0.25).margin(3 * std::sqrt(0.25 * 0.75 / double(blocks))));
  CHECK(at::allclose(kept.masked_select(kept != 0), at::full({1}, 4.0f / 3)));
  CHECK(at::equal(y, module.forward({x}, {.training = true, .step = 5})));
  CHECK_FALSE(at::equal(y, module.forward({x}, {.training = true, .step = 6})));
  CHECK(at::equal(x, module.forward({x}, {})));
}

TEST_CASE("what was left out sends nothing back", "[nn][dropout]") {
  const std::string op = GENERATE("dropout2d", "drop_path");
  nn::GraphModule module = module_of(op);
  const at::Tensor y = module.forward({at::ones({4, 50, 3, 4})}, {.training = true, .step = 0});
  module.backward(at::ones_like(y));
  CHECK(module.parameters().find("s.weight")->grad.item<double>() == Approx(y.sum().item<double>()));
}

}  // namespace blocks_test
