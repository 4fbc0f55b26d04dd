// SPDX-License-Identifier: Apache-2.0
// Every layer kind against autograd: the same net in ATen's differentiable operations, outputs and gradients compared.
#include <functional>

#include <ATen/ATen.h>

#include "nn/graph_module.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace layers_test {

using namespace dlrun;
using nn::GraphModule;

namespace {

at::Tensor random_tensor(std::vector<std::int64_t> sizes, const char* name) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  RandomStream stream(1, {"test", name});
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<float>()[i] = float(stream.normal());
  return tensor;
}

/// Parameters by name, as leaves of an autograd graph.
using Leaves = std::map<std::string, at::Tensor>;
using Reference = std::function<at::Tensor(const at::Tensor& x, Leaves& p)>;

struct Case {
  std::string name;
  Json nodes;
  std::vector<std::int64_t> input;  ///< without the batch
  Reference reference;
};

Leaves leaves_of(const GraphModule& module) {
  Leaves leaves;
  for (const nn::Parameter& p : module.parameters().all()) {
    leaves[p.name] = p.value.clone();
    if (p.trainable) leaves[p.name].set_requires_grad(true);
  }
  return leaves;
}

/// Norms begin at 1 and 0, where mistakes hide.
void disturb(const GraphModule& module) {
  for (const nn::Parameter& p : module.parameters().all()) {
    if (p.trainable) p.value.add_(random_tensor(p.value.sizes().vec(), p.name.c_str()), 0.3);
  }
}

/// The output need not fit any data here, so that fault is not asked about.
model::Graph graph_of(const Case& c) {
  std::vector<model::ModelError> faults;
  return model::build({{"nodes", c.nodes}}, {{{"x", c.input}}, 10, 1}, &faults);
}

/// The first layer of every case has weights, so that its gradient shows what came back through all the others.
const Json kConv = {{"name", "c"}, {"op", "conv2d"}, {"out", 4}, {"k", 3}};
const Json kLinear = {{"name", "l"}, {"op", "linear"}, {"out", 6}};
const std::vector<std::int64_t> kImage = {2, 9, 9}, kRow = {5};

at::Tensor conv(const at::Tensor& x, Leaves& p) { return at::conv2d(x, p["c.weight"], p["c.bias"]); }
at::Tensor linear(const at::Tensor& x, Leaves& p) { return at::linear(x, p["l.weight"], p["l.bias"]); }

Case after_conv(Json node, std::function<at::Tensor(at::Tensor, Leaves&)> op) {
  node["name"] = "n";
  Json conv_node = kConv;
  conv_node["bias"] = true;
  return {node.dump(), {conv_node, node}, kImage, [op](const at::Tensor& x, Leaves& p) { return op(conv(x, p), p); }};
}

Case after_linear(Json node, std::function<at::Tensor(at::Tensor, Leaves&)> op) {
  node["name"] = "n";
  Json linear_node = kLinear;
  linear_node["bias"] = true;
  return {node.dump(), {linear_node, node}, kRow, [op](const at::Tensor& x, Leaves& p) { return op(linear(x, p), p); }};
}

std::vector<Case> cases() {
  using T = at::Tensor;
  std::vector<Case> all;
  all.push_back({"linear", {kLinear}, kRow, linear});
  all.push_back({"linear over a sequence", {kLinear}, {3, 5}, linear});
  all.push_back({"linear without bias",
                 {{{"name", "l"}, {"op", "linear"}, {"out", 3}, {"bias", false}}},
                 kRow,
                 [](const T& x, Leaves& p) { return at::linear(x, p["l.weight"]); }});
  all.push_back({"conv2d", {kConv}, kImage, conv});
  all.push_back(
      after_conv({{"op", "conv2d"}, {"out", 6}, {"k", {3, 2}}, {"stride", {2, 1}}, {"pad", {1, 0}}, {"groups", 2}},
                 [](T x, Leaves& p) {
                   return at::conv2d(x, p["n.weight"], p["n.bias"], {2, 1}, {1, 0}, {1, 1}, 2);
                 }));
  all.push_back(
      after_conv({{"op", "conv2d"}, {"out", 3}, {"k", 3}, {"dilation", 2}, {"bias", false}}, [](T x, Leaves& p) {
        return at::convolution(x, p["n.weight"], {}, {1, 1}, {0, 0}, {2, 2}, false, {0, 0}, 1);
      }));
  all.push_back(after_conv({{"op", "conv2d"}, {"out", 3}, {"k", 2}, {"pad", "same"}}, [](T x, Leaves& p) {
    return at::conv2d(at::constant_pad_nd(x, {0, 1, 0, 1}), p["n.weight"], p["n.bias"]);
  }));
  all.push_back(after_conv({{"op", "batchnorm"}}, [](T x, Leaves& p) {
    return at::batch_norm(x, p["n.weight"], p["n.bias"], {}, {}, true, 0.1, 1e-5, false);
  }));
  all.push_back(after_linear({{"op", "batchnorm"}, {"affine", false}},
                             [](T x, Leaves&) { return at::batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false); }));
  all.push_back(after_linear({{"op", "layernorm"}},
                             [](T x, Leaves& p) { return at::layer_norm(x, {6}, p["n.weight"], p["n.bias"]); }));
  all.push_back(after_conv({{"op", "layernorm"}}, [](T x, Leaves& p) {
    return at::layer_norm(x, {4, 7, 7}, p["n.weight"], p["n.bias"]);
  }));
  all.push_back(after_conv({{"op", "maxpool"}, {"k", 2}}, [](T x, Leaves&) { return at::max_pool2d(x, {2, 2}); }));
  all.push_back(after_conv({{"op", "maxpool"}, {"k", 3}, {"stride", 2}, {"pad", 1}}, [](T x, Leaves&) {
    return at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  }));
  all.push_back(after_conv({{"op", "avgpool"}, {"k", 3}, {"stride", 2}, {"pad", 1}}, [](T x, Leaves&) {
    return at::avg_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  }));
  all.push_back(after_conv({{"op", "adaptive_avgpool"}, {"out", {1, 1}}}, [](T x, Leaves&) {
    return at::adaptive_avg_pool2d(x, {1, 1});
  }));
  all.push_back(after_conv({{"op", "adaptive_avgpool"}, {"out", {3, 2}}}, [](T x, Leaves&) {
    return at::adaptive_avg_pool2d(x, {3, 2});
  }));
  all.push_back(after_conv({{"op", "flatten"}}, [](T x, Leaves&) { return x.flatten(1); }));
  all.push_back(after_conv({{"op", "reshape"}, {"shape", {7, -1}}}, [](T x, Leaves&) {
    return x.reshape({x.size(0), 7, 28});
  }));
  all.push_back(after_linear({{"op", "identity"}}, [](T x, Leaves&) { return x * 1; }));
  all.push_back(after_linear({{"op", "relu"}}, [](T x, Leaves&) { return at::relu(x); }));
  all.push_back(
      after_linear({{"op", "leaky_relu"}, {"slope", 0.2}}, [](T x, Leaves&) { return at::leaky_relu(x, 0.2); }));
  all.push_back(after_linear({{"op", "elu"}, {"alpha", 0.7}}, [](T x, Leaves&) { return at::elu(x, 0.7); }));
  all.push_back(after_linear({{"op", "gelu"}}, [](T x, Leaves&) { return at::gelu(x); }));
  all.push_back(
      after_linear({{"op", "gelu"}, {"approximate", "tanh"}}, [](T x, Leaves&) { return at::gelu(x, "tanh"); }));
  all.push_back(after_linear({{"op", "silu"}}, [](T x, Leaves&) { return at::silu(x); }));
  all.push_back(after_linear({{"op", "sigmoid"}}, [](T x, Leaves&) { return at::sigmoid(x); }));
  all.push_back(after_linear({{"op", "tanh"}}, [](T x, Leaves&) { return at::tanh(x); }));
  all.push_back(after_linear({{"op", "softplus"}, {"beta", 2.0}}, [](T x, Leaves&) { return at::softplus(x, 2.0); }));
  all.push_back(after_linear({{"op", "softmax"}}, [](T x, Leaves&) { return at::softmax(x, -1); }));
  return all;
}

void compare(const Case& c) {
  INFO(c.name);
  GraphModule module(graph_of(c), {3, 0});
  disturb(module);
  Leaves leaves = leaves_of(module);
  std::vector<std::int64_t> sizes{4};
  sizes.insert(sizes.end(), c.input.begin(), c.input.end());
  const at::Tensor x = random_tensor(sizes, "x");
  sizes[0] = 7;
  module.forward(random_tensor(sizes, "measured"), {.training = false, .step = 0});  // leaves nothing behind
  const at::Tensor y = module.forward(x, {.training = true, .step = 0});
  const at::Tensor expected = c.reference(x, leaves);
  REQUIRE(y.sizes() == expected.sizes());
  CHECK(at::allclose(y, expected.detach(), 1e-5, 1e-6));
  const at::Tensor grad = random_tensor(y.sizes().vec(), "grad");
  module.backward(grad);
  expected.backward(grad);
  for (const nn::Parameter& p : module.parameters().all()) {
    if (!p.trainable) continue;
    INFO(p.name);
    CHECK(at::allclose(p.grad, leaves[p.name].grad(), 1e-4, 1e-5));
    CHECK(p.grad.abs().sum().item<double>() > 0);
  }
}

}  // namespace

TEST_CASE("every layer kind agrees with autograd, forward and backward", "[nn][layers]") {
  for (const Case& c : cases()) compare(c);
}

TEST_CASE("branches, sums, products and joins send gradients to every input", "[nn][layers]") {
  using T = at::Tensor;
  const Json a = {{"name", "l"}, {"op", "linear"}, {"out", 6}};
  const Json b = {{"name", "m"}, {"op", "linear"}, {"out", 6}, {"from", "x"}};
  const auto first = [](const T& x, Leaves& p) { return at::linear(x, p["l.weight"], p["l.bias"]); };
  const auto second = [](const T& x, Leaves& p) { return at::linear(x, p["m.weight"], p["m.bias"]); };
  SECTION("add, one of them twice") {
    compare(
        {"add", {a, b, {{"name", "s"}, {"op", "add"}, {"from", {"l", "m", "l"}}}}, kRow, [=](const T& x, Leaves& p) {
           return first(x, p) + second(x, p) + first(x, p);
         }});
  }
  SECTION("multiply") {
    compare({"multiply",
             {a, b, {{"name", "s"}, {"op", "multiply"}, {"from", {"l", "m"}}}},
             kRow,
             [=](const T& x, Leaves& p) { return first(x, p) * second(x, p); }});
  }
  SECTION("concat") {
    compare(
        {"concat", {a, b, {{"name", "s"}, {"op", "concat"}, {"from", {"l", "m"}}}}, kRow, [=](const T& x, Leaves& p) {
           return at::cat({first(x, p), second(x, p)}, 1);
         }});
  }
}

TEST_CASE("a gate of one value for each channel is stretched, and its gradient summed", "[nn][layers]") {
  const Json nodes = {{{"name", "c"}, {"op", "conv2d"}, {"out", 4}, {"k", 3}},
                      {{"name", "g"}, {"op", "adaptive_avgpool"}, {"out", 1}},
                      {{"name", "s"}, {"op", "multiply"}, {"from", {"c", "g"}}}};
  compare({"gate", nodes, kImage, [](const at::Tensor& x, Leaves& p) {
             const at::Tensor y = conv(x, p);
             return y * at::adaptive_avg_pool2d(y, {1, 1});
           }});
}

TEST_CASE("gradients agree with finite differences", "[nn][layers]") {
  const Case c{"net",
               {kConv,
                {{"op", "tanh"}, {"name", "t"}},
                {{"op", "avgpool"}, {"name", "p"}, {"k", 7}},
                {{"op", "flatten"}, {"name", "f"}},
                {{"op", "linear"}, {"name", "l"}, {"out", 2}}},
               kImage,
               {}};
  GraphModule module(graph_of(c), {3, 0});
  const at::Tensor x = random_tensor({3, 2, 9, 9}, "x"), weights = random_tensor({3, 2}, "w");
  const auto value = [&] { return (module.forward(x, {}) * weights).sum().item<double>(); };
  module.forward(x, {.training = true, .step = 0});
  module.backward(weights);
  const nn::Parameters& p = module.parameters();
  float* values = p.values().data_ptr<float>();
  for (std::int64_t i = 0; i < p.values().numel(); i += 7) {
    const float before = values[i], h = 1e-2f;
    values[i] = before + h;
    const double up = value();
    values[i] = before - h;
    const double down = value();
    values[i] = before;
    CHECK(p.grads().data_ptr<float>()[i] == Approx((up - down) / (2 * double(h))).margin(2e-3));
  }
}

TEST_CASE("batch norm keeps running statistics in training and uses them in evaluation", "[nn][layers]") {
  const Case c{"bn", {{{"op", "batchnorm"}, {"name", "n"}}, kLinear}, kRow, {}};
  GraphModule module(graph_of(c), {3, 0});
  const at::Tensor x = random_tensor({8, 5}, "x") * 3 + 1;
  module.forward(x, {.training = true, .step = 0});
  const at::Tensor mean = module.parameters().find("n.running_mean")->value;
  const at::Tensor variance = module.parameters().find("n.running_var")->value;
  CHECK(at::allclose(mean, x.mean(0) * 0.1, 1e-5, 1e-6));
  CHECK(at::allclose(variance, x.var(0) * 0.1 + 0.9, 1e-5, 1e-6));
  CHECK(module.parameters().find("n.num_batches_tracked")->value.item<std::int64_t>() == 1);
  const at::Tensor before = mean.clone();
  const at::Tensor one = module.forward(x.narrow(0, 0, 1), {}), all = module.forward(x, {});
  CHECK(at::equal(mean, before));
  CHECK(at::allclose(one[0], all[0], 1e-5, 1e-6));
}

// The running variance became NaN, and what is measured with it.
TEST_CASE("batch norm refuses to train on one value of each channel", "[nn][layers]") {
  const Case c{"bn", {{{"op", "batchnorm"}, {"name", "n"}}, kLinear}, kRow, {}};
  GraphModule module(graph_of(c), {3, 0});
  const at::Tensor x = random_tensor({1, 5}, "x");
  CHECK_THROWS_WITH(module.forward(x, {.training = true, .step = 0}),
                    "layer 'n': a batch of one example has one value of each channel, which has no variance");
  CHECK_NOTHROW(module.forward(x, {}));
}

TEST_CASE("max pooling agrees with libtorch to the bit, ties, NaN and infinities included", "[nn][layers]") {
  const std::int64_t k = GENERATE(1, 2, 3), stride = GENERATE(1, 2, 3), pad = GENERATE(0, 1);
  if (pad > k / 2) return;
  const Case c{"pool",
               Json::array({{{"name", "p"}, {"op", "maxpool"}, {"k", k}, {"stride", stride}, {"pad", pad}}}),
               {2, 11, 8},
               {}};
  GraphModule module(graph_of(c), {3, 0});
  at::Tensor x = at::round(random_tensor({3, 2, 11, 8}, "x"));  // many ties
  x[0][0][3][4] = NAN;
  x[1][1].fill_(-INFINITY);
  x[2][0][0][0] = INFINITY;
  const at::Tensor expected = std::get<0>(at::max_pool2d_with_indices(x, {k, k}, {stride, stride}, {pad, pad}));
  CHECK(at::allclose(module.forward(x, {}), expected, 0, 0, true));
}

}  // namespace layers_test
