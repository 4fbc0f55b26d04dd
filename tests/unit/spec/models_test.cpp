// SPDX-License-Identifier: Apache-2.0
// The networks of configs/models: as many parameters as published, and torchvision's names and shapes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "model/graph.hpp"
#include "support/catch.hpp"
#include "support/model_file.hpp"
#include "util/files.hpp"

namespace models_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

const fs::path kSource = DLRUN_SOURCE;

struct Use {
  std::string model;
  model::Shape input;
  std::int64_t classes;
  Json let = Json::object();
};

model::Graph graph_of(const Use& use) {
  return model::build(model_file(kSource / "configs/models", use.model, use.let),
                      {{{"x", use.input}}, use.classes, 1, {}});
}

const model::Shape kImagenet{3, 224, 224}, kCifar{3, 32, 32}, kMnist{1, 28, 28};

/// "name [sizes]" of every tensor, in the order of their names; scalars are [].
std::vector<std::string> tensors_of(const model::Graph& graph) {
  std::vector<std::string> lines;
  for (const model::Node& node : graph.nodes) {
    for (const model::Tensor& tensor : node.tensors)
      lines.push_back(fmt::format("{}.{} [{}]", node.name, tensor.name, fmt::join(tensor.shape, ", ")));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> expected_tensors(const std::string& model) {
  std::istringstream text(read_file(kSource / "tests/golden/models" / (model + ".txt")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("ready models have the published number of parameters", "[spec][models]") {
  // torchvision's documentation for ImageNet; the CIFAR forms as commonly cited; DenseNet-BC-40 and the small Inception
  // by their papers, the latter and its 1,712 scales; narrow MobileNets by torchvision's width_mult.
  const auto [use, count] = GENERATE(table<Use, std::int64_t>({
      {{"mlp", {64}, 10}, 4810},
      {{"mlp", kMnist, 10, {{"hidden", 256}, {"depth", 2}}}, 784 * 256 + 256 + 256 * 256 + 256 + 2570},
      {{"lenet", kMnist, 10}, 61706},
      {{"cnn", kMnist, 10}, 288 + 9216 + 18432 + 36864 + 2 * (32 + 32 + 64 + 64) + 3136 * 256 + 256 + 2570},
      {{"resnet18", kImagenet, 1000}, 11689512},
      {{"resnet34", kImagenet, 1000}, 21797672},
      {{"resnet18_cifar", kCifar, 10}, 11173962},
      {{"resnet34_cifar", kCifar, 10}, 21282122},
      {{"vgg11_bn", kImagenet, 1000}, 132868840},
      {{"vgg13_bn", kImagenet, 1000}, 133053736},
      {{"vgg16_bn", kImagenet, 1000}, 138365992},
      {{"vgg11_bn_cifar", kCifar, 10}, 9231114},
      {{"vgg13_bn_cifar", kCifar, 10}, 9416010},
      {{"vgg16_bn_cifar", kCifar, 10}, 14728266},
      {{"mobilenet_v2", kImagenet, 1000}, 3504872},
      {{"mobilenet_v2", kImagenet, 1000, {{"width", 0.5}}}, 1968680},
      {{"mobilenet_v2", kImagenet, 1000, {{"width", 1.4}}}, 6108776},
      {{"mobilenet_v2_cifar", kCifar, 10}, 2236682},
      {{"densenet_bc40", kCifar, 10}, 176122},
      {{"inception_small", kCifar, 10}, 1649402 + 1712},
  }));
  CAPTURE(use.model);
  CHECK(graph_of(use).parameters() == count);
}

TEST_CASE("tensors of ready models go by torchvision's names and shapes", "[spec][models]") {
  const std::string name = GENERATE("resnet18", "resnet34", "vgg11_bn", "vgg13_bn", "vgg16_bn", "mobilenet_v2");
  CAPTURE(name);
  CHECK(tensors_of(graph_of({name, kImagenet, 1000})) == expected_tensors(name));
}

TEST_CASE("the CIFAR forms differ from those for ImageNet in shapes of stem and end alone", "[spec][models]") {
  const std::string name = GENERATE("resnet18", "resnet34", "mobilenet_v2");
  const std::vector<std::string> small = tensors_of(graph_of({name + "_cifar", kCifar, 1000}));
  const std::vector<std::string> large = expected_tensors(name);
  REQUIRE(small.size() == large.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (small[i].starts_with("conv1.weight")) continue;
    CHECK(small[i] == large[i]);
  }
}

TEST_CASE("every file of configs/models is known to the table in its README", "[spec][models]") {
  const std::string readme = read_file(kSource / "configs/models/README.md");
  for (const auto& entry : fs::directory_iterator(kSource / "configs/models")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().stem().string());
    CHECK(readme.find("`" + entry.path().stem().string() + "`") != std::string::npos);
  }
}

}  // namespace models_test
