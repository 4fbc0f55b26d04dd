// SPDX-License-Identifier: Apache-2.0
// A plugin's layer as a layer of a network: its facts, its first numbers, its draws, and who is named where it fails.
#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <dlrun/plugin/layer.hpp>

#include "guests.hpp"
#include "nn/init.hpp"
#include "nn/plugin_layer.hpp"
#include "support/catch.hpp"
#include "train/contracts/layer_cases.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace plugin_layer_test {

using namespace dlrun;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::LayerFacts;
using plugin::Pass;

namespace {

constexpr nn::Streams kStreams{.seed = 5, .replicate = 3};

LayerFacts seen;              ///< of the last layer
std::vector<double> numbers;  ///< drawn by the last layer
bool saw_training = false, had_draws = false;
std::int64_t saw_step = 0;

class Inspected final : public plugin::Layer {
 public:
  explicit Inspected(const LayerFacts& facts) : does_(facts.options.text("does")) {
    seen = facts;
    if (does_ == "throws at once") throw std::runtime_error("not today");
  }

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass& pass) override {
    saw_training = pass.training, saw_step = pass.step, had_draws = pass.random != nullptr;
    if (pass.random != nullptr)
      numbers = {pass.random->uniform(), pass.random->normal(), double(pass.random->below(1000))};
    const at::Tensor out = inputs[0] * tensors["zeros"] + inputs[0];
    if (does_ == "halves") return out.to(at::kHalf);
    if (does_ == "turned") return out.t().contiguous().t();
    if (does_ == "fails backward") out.register_hook([](const at::Tensor&) { throw std::runtime_error("uphill"); });
    if (does_ == "grows") return at::cat({out, out});
    return out;
  }

  void initialise(const std::string& name, at::Tensor& tensor, plugin::Random& random) override {
    CHECK(name == "own");
    plugin::fill(tensor, [&] { return random.normal(); });
  }

 private:
  std::string does_;
};

const Guest inspected(R"(
plugin: inspected
kind: layer
random: true
keys:
  - {name: does, type: text, text: its fault, default: nothing}
  - {name: wide, type: integer, text: a size, default: 3}
inputs: [["...", D]]
output: ["...", D]
let: {twice: 2 * D}
tensors:
  - {name: zeros, shape: [D], init: zeros}
  - {name: ones, shape: [twice], init: ones}
  - {name: uniform, shape: [D, 4], init: uniform, bound: wide / 4}
  - {name: normal, shape: [D, 4], init: normal, std: wide}
  - {name: fan_in, shape: [wide, D, 4], init: fan_in}
  - {name: xavier, shape: [wide, D, 4], init: xavier}
  - {name: own, shape: [D], init: plugin}
  - {name: counts, shape: [D], init: ones, trainable: false}
)",
                      made_of<plugin::Layer, Inspected, LayerFacts>);

/// The layer in a network, with values of nothing yet.
struct Network {
  explicit Network(const std::string& does)
      : tested(contracts_test::tested(plugin::Kind::layer, "inspected", {{"does", does}})),
        at(train::contracts::layer_cases(tested).front()),
        parameters(at.graph),
        layer(nn::make_plugin_layer({at.node(), parameters, kStreams})) {}

  at::Tensor run(const at::Tensor& x, const nn::Pass& pass) {
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    layer->initialise(kStreams);
    return layer->forward({x}, pass);
  }
  nn::Parameter tensor(const std::string& name) const { return *parameters.find("tested." + name); }

  plugin::Tested tested;
  train::contracts::LayerCase at;
  nn::Parameters parameters;
  std::unique_ptr<nn::Layer> layer;
};

/// Numbers that a function of init.hpp gives to a tensor of this name.
template <class Init>
at::Tensor initialised(const Network& network, const std::string& name, Init init) {
  nn::Parameter parameter = network.tensor(name);
  parameter.value = at::empty_like(parameter.value);
  init(parameter);
  return parameter.value;
}

}  // namespace

TEST_CASE("a plugin's layer is told its facts", "[contracts][plugin_layer]") {
  const Network network("nothing");
  const std::int64_t size = network.at.node().in[0].back();
  CHECK(seen.name == "tested");
  CHECK(seen.options.integer("wide") == 3);
  CHECK(seen.inputs == std::vector<plugin::Sizes>{network.at.node().in[0]});
  CHECK(seen.output == network.at.node().out);
  CHECK(seen.size("D") == size);
  CHECK(seen.size("twice") == 2 * size);
  CHECK(network.layer->takes_low_precision());
}

TEST_CASE("tensors of a plugin's layer begin as plugin.yaml says", "[contracts][plugin_layer]") {
  Network network("nothing");
  for (const nn::Parameter& parameter : network.parameters.all()) at::Tensor(parameter.value).fill_(7);
  network.run(at::ones({2, network.at.node().in[0][0]}), {});
  const auto value = [&](const char* name) { return network.tensor(name).value; };
  CHECK(value("zeros").eq(0).all().item<bool>());
  CHECK(value("ones").eq(1).all().item<bool>());
  CHECK(value("counts").eq(1).all().item<bool>());
  CHECK(value("uniform").equal(
      initialised(network, "uniform", [](auto& one) { nn::init_uniform(one, 0.75, kStreams); })));
  CHECK(value("normal").equal(initialised(network, "normal", [](auto& one) { nn::init_normal(one, 3, kStreams); })));
  CHECK(value("xavier").equal(initialised(network, "xavier", [](auto& one) { nn::init_xavier(one, kStreams); })));
  const std::int64_t fan_in = 4 * network.at.node().in[0][0];
  CHECK(value("fan_in").equal(
      initialised(network, "fan_in", [&](auto& one) { nn::init_affine(one, nullptr, fan_in, kStreams); })));
  CHECK(value("own").equal(initialised(network, "own", [](auto& one) { nn::init_normal(one, 1, kStreams); })));
}

TEST_CASE("draws of a plugin's layer belong to its seed, replicate, name and step", "[contracts][plugin_layer]") {
  Network network("nothing");
  network.run(at::ones({2, network.at.node().in[0][0]}), {.training = true, .step = 12});
  RandomStream stream(5, {"layer", "3", "tested", "12"});
  REQUIRE(had_draws);
  CHECK(saw_training);
  CHECK(saw_step == 12);
  const double uniform = stream.uniform(), normal = stream.normal();
  CHECK(numbers == std::vector<double>{uniform, normal, double(stream.below(1000))});
  network.run(at::ones({2, network.at.node().in[0][0]}), {.training = false, .step = 13});
  CHECK_FALSE(had_draws);
  CHECK_FALSE(saw_training);
  CHECK(saw_step == 13);
}

TEST_CASE("the output lies in one piece, may be of a lower precision, and has its size", "[contracts][plugin_layer]") {
  Network turned("turned"), halves("halves"), grows("grows");
  const at::Tensor x = at::ones({2, turned.at.node().in[0][0]});
  CHECK(turned.run(x, {.training = true}).is_contiguous());
  CHECK(halves.run(x, {}).scalar_type() == at::kHalf);
  CHECK_THROWS_WITH(grows.run(x, {}),
                    "plugin 'inspected': layer 'tested': the output is [4, 5], but plugin.yaml promises [2, 5]");
}

TEST_CASE("a plugin's layer is named in each of its calls", "[contracts][plugin_layer]") {
  CHECK_THROWS_WITH(Network("throws at once"), "plugin 'inspected': not today");
  Network network("fails backward");
  const at::Tensor x = at::ones({2, network.at.node().in[0][0]});
  network.run(x, {.training = true});
  CHECK_THROWS_WITH(network.layer->backward(x, {true}), Contains("plugin 'inspected': uphill"));
  model::Node node = network.at.node();
  node.op = "no_such_layer";
  CHECK(nn::make_plugin_layer({node, network.parameters, kStreams}) == nullptr);
}

TEST_CASE("gradients of a plugin's layer come back for wanted inputs", "[contracts][plugin_layer]") {
  Network network("nothing");
  const at::Tensor x = at::full({2, network.at.node().in[0][0]}, 3.0);
  network.run(x, {.training = true});
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const auto grads = network.layer->backward(at::ones_like(x), {true});
  CHECK(grads.at(0).equal(at::ones_like(x)));
  CHECK(network.tensor("zeros").grad.eq(6).all().item<bool>());
  network.layer->forward({x}, {.training = true});
  CHECK_FALSE(network.layer->backward(at::ones_like(x), {false}).at(0).defined());
}

}  // namespace plugin_layer_test
