// SPDX-License-Identifier: Apache-2.0
#include "model/parameter_groups.hpp"

#include "support/catch.hpp"

namespace parameter_groups_test {

using namespace dlrun;
using namespace dlrun::model;

TEST_CASE("a pattern names a tensor, its layer or a group it lies in, whole", "[model][groups]") {
  CHECK(TensorPattern("fc1").names("fc1.weight"));
  CHECK_FALSE(TensorPattern("fc1").names("fc10.weight"));
  CHECK_FALSE(TensorPattern("fc").names("fc1.weight"));
  CHECK(TensorPattern("fc.*").names("fc1.weight"));
  CHECK(TensorPattern("block1").names("block1.body.conv1.weight"));
  CHECK(TensorPattern("block1\\.body").names("block1.body.conv1.weight"));
  CHECK(TensorPattern("block[12]").names("block2.body.conv1.weight"));
  CHECK_FALSE(TensorPattern("body").names("block1.body.conv1.weight"));
  CHECK(TensorPattern(".*\\.bias").names("block1.body.conv1.bias"));
  CHECK_FALSE(TensorPattern(".*\\.bias").names("block1.body.conv1.weight"));
}

TEST_CASE("what is no pattern is refused", "[model][groups]") {
  CHECK_THROWS_WITH(TensorPattern("fc("), Contains("'fc(' is no regular expression"));
  CHECK_THROWS_WITH(TensorPattern(""), Contains("1 to 200 characters"));
  CHECK_THROWS_WITH(TensorPattern(std::string(201, 'a')), Contains("1 to 200 characters"));
}

TEST_CASE("tensors know what they are for, and the first group that names them", "[model][groups]") {
  const Json nodes = {{{"name", "fc1"}, {"op", "linear"}, {"out", 4}, {"bias", true}},
                      {{"name", "bn"}, {"op", "batchnorm"}},
                      {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  Interface interface;
  interface.inputs["x"].shape = {3};
  interface.classes = 2;
  const Graph graph = build({{"nodes", nodes}}, interface);
  const auto tensors =
      trained_tensors(graph, {{TensorPattern("head")}, {TensorPattern(".*bias"), TensorPattern("bn")}});
  const auto find = [&](const std::string& name) {
    for (const TrainedTensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    throw std::runtime_error("no " + name);
  };
  CHECK(tensors.size() == 6);
  CHECK(find("fc1.weight").group == -1);
  CHECK(find("fc1.bias").group == 1);
  CHECK(find("head.bias").group == 0);
  CHECK(find("bn.weight").group == 1);
  CHECK(find("bn.weight").is_norm);
  CHECK(find("bn.bias").is_bias);
  CHECK_FALSE(find("bn.weight").is_bias);
  CHECK_FALSE(find("fc1.weight").is_norm);
}

TEST_CASE("hidden matrices lie between the first and the last layers that have one", "[model][groups]") {
  const Json nodes = {{{"name", "stem"}, {"op", "conv2d"}, {"out", 4}, {"k", 3}, {"pad", 1}},
                      {{"name", "bn"}, {"op", "batchnorm"}},
                      {{"name", "conv"}, {"op", "conv2d"}, {"out", 6}, {"k", 3}},
                      {{"name", "flat"}, {"op", "flatten"}},
                      {{"name", "mid"}, {"op", "linear"}, {"out", 5}},
                      {{"name", "act"}, {"op", "relu"}},
                      {{"name", "head"}, {"op", "linear"}, {"out", "classes"}},
                      {{"name", "aside"}, {"op", "linear"}, {"out", "classes"}, {"from", "flat"}}};
  const Json outputs = {{"a", {{"from", "head"}, {"target", ""}}}, {"b", {{"from", "aside"}, {"target", ""}}}};
  Interface interface;
  interface.inputs["x"].shape = {3, 8, 8};
  interface.outputs["a"] = interface.outputs["b"] = {.classes = 2};
  std::map<std::string, std::int64_t> rows;
  for (const TrainedTensor& tensor : trained_tensors(build({{"nodes", nodes}, {"outputs", outputs}}, interface), {})) {
    if (tensor.hidden_rows > 0) rows[tensor.name] = tensor.hidden_rows;
  }
  CHECK(rows == std::map<std::string, std::int64_t>{{"conv.weight", 6}, {"mid.weight", 5}});
}

TEST_CASE("the layer behind an embedding is hidden, and a single layer is not", "[model][groups]") {
  const Json embed = {{"name", "embed"}, {"op", "embedding"}, {"out", 4}}, pool = {{"name", "pool"}, {"op", "flatten"}},
             mid = {{"name", "mid"}, {"op", "linear"}, {"out", 5}},
             head = {{"name", "head"}, {"op", "linear"}, {"out", "classes"}};
  const auto hidden = [](const Json& list, const Input& input) {
    Interface interface;
    interface.inputs["x"] = input;
    interface.classes = 2;
    std::vector<std::string> names;
    for (const TrainedTensor& tensor : trained_tensors(build({{"nodes", list}}, interface), {})) {
      if (tensor.hidden_rows > 0) names.push_back(tensor.name);
    }
    return names;
  };
  CHECK(hidden(Json::array({embed, pool, mid, head}), Input(Shape{6}, 9)) == std::vector<std::string>{"mid.weight"});
  CHECK(hidden(Json::array({mid, head}), {6}).empty());
  CHECK(hidden(Json::array({head}), {6}).empty());
}

}  // namespace parameter_groups_test
