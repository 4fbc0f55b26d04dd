// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "nn/philox_fill.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace init_test {

using namespace dlrun;
using nn::GraphModule;

namespace {

GraphModule module_of(const Json& nodes, nn::Streams streams = {7, 0}, std::int64_t width = 64) {
  std::vector<model::ModelError> ignored;  // outputs of any width will do here
  return GraphModule(model::build({{"nodes", nodes}}, {{{"x", {width}}}, 10, 1}, &ignored), streams);
}

const Json kHead = {{"name", "head"}, {"op", "linear"}, {"out", 10}};
const Json kFc = {{"name", "fc1"}, {"op", "linear"}, {"out", 32}};

at::Tensor value(const GraphModule& module, const char* name) { return module.parameters().find(name)->value.clone(); }

}  // namespace

TEST_CASE("equal names get equal first values whatever else the model holds", "[nn][init]") {
  const GraphModule small = module_of({kFc, kHead});
  const GraphModule large = module_of({kFc,
                                       {{"name", "n"}, {"op", "batchnorm"}},
                                       {{"name", "a"}, {"op", "relu"}},
                                       {{"name", "d"}, {"op", "linear"}, {"out", 32}},
                                       kHead});
  CHECK(at::equal(value(small, "fc1.weight"), value(large, "fc1.weight")));
  CHECK(at::equal(value(small, "head.weight"), value(large, "head.weight")));
  CHECK_FALSE(at::equal(value(large, "fc1.weight").narrow(0, 0, 10).narrow(1, 0, 32), value(large, "head.weight")));
}

TEST_CASE("seed and replicate change the first values", "[nn][init]") {
  const at::Tensor base = value(module_of(Json::array({kHead})), "head.weight");
  CHECK_FALSE(at::equal(base, value(module_of(Json::array({kHead}), {8, 0}), "head.weight")));
  CHECK_FALSE(at::equal(base, value(module_of(Json::array({kHead}), {7, 1}), "head.weight")));
  CHECK(at::equal(base, value(module_of(Json::array({kHead})), "head.weight")));
}

TEST_CASE("first values follow PyTorch's distributions", "[nn][init]") {
  const at::Tensor weight = value(module_of({{{"name", "l"}, {"op", "linear"}, {"out", 1000}}}), "l.weight");
  const double bound = 1 / std::sqrt(64.0);
  CHECK(weight.abs().max().item<double>() <= bound);
  CHECK(weight.abs().max().item<double>() > 0.999 * bound);
  CHECK(weight.mean().item<double>() == Approx(0).margin(0.01 * bound));
  CHECK(weight.std().item<double>() == Approx(bound / std::sqrt(3.0)).epsilon(0.01));
}

TEST_CASE("convolutions of all kinds begin within PyTorch's bounds", "[nn][init]") {
  const Json image = {{"op", "reshape"}, {"shape", {16, 2, 2}}}, series = {{"op", "reshape"}, {"shape", {16, 4}}};
  struct Row {
    Json node, before;
    const char* name;
    int fan_in;
  };
  const std::vector<Row> rows{
      {{{"op", "conv1d"}, {"out", 400}, {"k", 3}}, series, "n.weight", 16 * 3},
      {{{"op", "conv1d"}, {"out", 4000}, {"k", 3}}, series, "n.bias", 16 * 3},
      {{{"op", "conv2d"}, {"out", 400}, {"k", 2}, {"groups", "in"}}, image, "n.weight", 4},
      {{{"op", "conv_transpose2d"}, {"out", 60}, {"k", 3}, {"groups", 2}}, image, "n.weight", 30 * 9},
      {{{"op", "conv_transpose1d"}, {"out", 3000}, {"k", 2}}, series, "n.bias", 3000 * 2},
      {{{"op", "squeeze_excitation"}, {"squeeze", 300}}, image, "n.fc1.weight", 16},
      {{{"op", "squeeze_excitation"}, {"squeeze", 300}}, image, "n.fc2.weight", 300}};
  for (const Row& row : rows) {
    Json node = row.node;
    node["name"] = "n";
    CAPTURE(node.dump(), row.name);
    const at::Tensor weight = value(module_of({row.before, node}), row.name);
    const double bound = 1 / std::sqrt(double(row.fan_in));
    CHECK(weight.abs().max().item<double>() <= bound);
    CHECK(weight.abs().max().item<double>() > 0.99 * bound);
  }
}

TEST_CASE("norms begin with scale 1 and shift 0, prelu with 0.25", "[nn][init]") {
  const GraphModule module = module_of({{{"op", "reshape"}, {"shape", {4, 16}}},
                                        {{"name", "g"}, {"op", "groupnorm"}, {"groups", 2}},
                                        {{"name", "i"}, {"op", "instancenorm"}, {"track_running_stats", true}},
                                        {{"name", "r"}, {"op", "rmsnorm"}},
                                        {{"name", "p"}, {"op", "prelu"}},
                                        {{"name", "s"}, {"op", "scale"}, {"factor", 1e-4}, {"learned", true}}});
  CHECK(at::equal(value(module, "g.weight"), at::ones({4})));
  CHECK(at::equal(value(module, "g.bias"), at::zeros({4})));
  CHECK(at::equal(value(module, "i.running_mean"), at::zeros({4})));
  CHECK(at::equal(value(module, "i.running_var"), at::ones({4})));
  CHECK(at::equal(value(module, "r.weight"), at::ones({16})));
  CHECK(at::equal(value(module, "p.weight"), at::full({1}, 0.25)));
  CHECK(at::equal(value(module, "s.weight"), at::full({1}, 1e-4f)));
}

TEST_CASE("norms of transformer layers begin with scale 1 and shift 0", "[nn][init]") {
  const GraphModule module = module_of(
      {{{"name", "r"}, {"op", "reshape"}, {"shape", {4, 16}}},
       {{"name", "e"}, {"op", "transformer_encoder_layer"}, {"heads", 2}, {"feedforward", 8}},
       {{"name", "d"}, {"op", "transformer_decoder_layer"}, {"heads", 2}, {"feedforward", 8}, {"from", {"r", "e"}}}});
  for (const char* norm : {"e.norm1", "e.norm2", "d.norm1", "d.norm2", "d.norm3"}) {
    CHECK(at::equal(value(module, (norm + std::string(".weight")).c_str()), at::ones({16})));
    CHECK(at::equal(value(module, (norm + std::string(".bias")).c_str()), at::zeros({16})));
  }
}

TEST_CASE("first values are part of the format", "[nn][init]") {
  const at::Tensor weight = value(module_of(Json::array({kHead})), "head.weight");
  const auto expected = [](int i) {
    RandomStream stream(7, {"init", "0", "head.weight"});
    double unit = 0;
    for (int k = 0; k <= i; ++k) unit = double(stream.next_u32() >> 8) * 0x1.0p-24;
    return float((2 * unit - 1) / 8);
  };
  CHECK(weight.data_ptr<float>()[0] == expected(0));
  CHECK(weight.data_ptr<float>()[639] == expected(639));
}

TEST_CASE("every tensor begins on a cache line, and gaps stay zero", "[nn][parameters]") {
  const GraphModule module =
      module_of({{{"name", "a"}, {"op", "linear"}, {"out", 3}}, {{"name", "b"}, {"op", "linear"}, {"out", 5}}});
  for (const nn::Parameter& p : module.parameters().all()) {
    CHECK(reinterpret_cast<std::uintptr_t>(p.value.data_ptr()) % 64 == 0);
    CHECK(p.value.data_ptr<float>() == module.parameters().values().data_ptr<float>() + p.offset);
  }
  double sum = 0;
  for (const nn::Parameter& p : module.parameters().all()) sum += p.value.abs().sum().item<double>();
  CHECK(module.parameters().values().abs().sum().item<double>() == Approx(sum));
}

TEST_CASE("random words by the thousand are util's philox", "[nn][random]") {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 1000u}) {
    std::vector<std::uint32_t> words(count);
    nn::philox_fill({11, 12}, 0x0000000500000003ull, words.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(words[i] == philox({std::uint32_t(i / 4), 0, 3, 5}, {11, 12})[i % 4]);
    }
  }
}

TEST_CASE("dropout is a function of seed, replicate, name and step", "[nn][dropout]") {
  const Json drop = {{"name", "d"}, {"op", "dropout"}, {"p", 0.25}};
  const at::Tensor x = at::ones({50, 64});
  GraphModule module = module_of({drop, kHead});
  const auto mask = [&](nn::Streams streams, std::int64_t step, const char* name = "d") {
    Json node = drop;
    node["name"] = name;
    model::Graph graph = model::build({{"nodes", {node, kHead}}}, {{{"x", {64}}}, 10, 1});
    graph.outputs = {{"", name}};
    return GraphModule(graph, streams).forward(x, {.training = true, .step = step});
  };
  const at::Tensor base = mask({7, 0}, 3);
  CHECK(at::equal(base, mask({7, 0}, 3)));
  CHECK_FALSE(at::equal(base, mask({7, 0}, 4)));
  CHECK_FALSE(at::equal(base, mask({7, 1}, 3)));
  CHECK_FALSE(at::equal(base, mask({8, 0}, 3)));
  CHECK_FALSE(at::equal(base, mask({7, 0}, 3, "e")));
  CHECK((base == 0).sum().item<double>() / double(x.numel()) == Approx(0.25).margin(0.03));
  CHECK(base.max().item<float>() == float(1 / 0.75));
  CHECK(at::equal(module.forward(x, {}), module.forward(x, {.training = false, .step = 9})));
}

TEST_CASE("dropout's gradient is zero where the value was", "[nn][dropout]") {
  GraphModule module = module_of({{{"name", "l"}, {"op", "linear"}, {"out", 40}}, {{"name", "d"}, {"op", "dropout"}}});
  const at::Tensor y = module.forward(at::ones({1, 64}), {.training = true, .step = 5});
  module.backward(at::ones({1, 40}));
  const at::Tensor bias = module.parameters().find("l.bias")->grad;
  CHECK(at::equal(bias == 0, y[0] == 0));
  CHECK(bias.max().item<float>() == 2.0f);
}

TEST_CASE("an op that cannot be trained is refused by name", "[nn]") {
  model::Graph graph = model::build({{"nodes", Json::array({kHead})}}, {{{"x", {64}}}, 10, 1});
  graph.nodes[0].op = "liner";
  CHECK_THROWS_WITH(GraphModule(graph, {7, 0}), "layer 'head': there is no layer kind 'liner'");
}

}  // namespace init_test
