// SPDX-License-Identifier: Apache-2.0
// Every network of configs/models, declared and written flat: what a variant of an ablation is stored as.
#include <filesystem>
#include <map>
#include <set>

#include "model/declared.hpp"
#include "model/graph.hpp"
#include "support/catch.hpp"
#include "support/model_file.hpp"

namespace flat_models_test {

using namespace dlrun;
using model::Interface;
namespace fs = std::filesystem;

namespace {

const fs::path kModels = fs::path(DLRUN_SOURCE) / "configs/models";

const Interface kRow{{{"x", {12}}}, 3, 1, {}}, kMnist{{{"x", {1, 28, 28}}}, 10, 1, {}},
    kCifar{{{"x", {3, 32, 32}}}, 10, 1, {}}, kImagenet{{{"x", {3, 224, 224}}}, 1000, 1, {}},
    kText{{{"x", model::Input({50}, 1000)}}, 4, 1, {}}, kSeries{{{"x", {96, 7}}}, 0, 24, {}},
    kTokens{{{"x", model::Input({64}, 300)}}, 300, 1, {64}},
    kNodes{{{"adjacency", {30, 30}}, {"x", {30, 16}}}, 7, 1, {30}},
    kMolecule{{{"adjacency", {30, 30}}, {"x", {30, 16}}}, 0, 1, {}};

/// What the data of a model's kind gives it.
Interface interface_of_file(const std::string& name) {
  const std::map<std::string, Interface> kinds{{"mlp", kRow},
                                               {"tabular_mlp", kRow},
                                               {"ft_transformer", kRow},
                                               {"lenet", kMnist},
                                               {"cnn", kMnist},
                                               {"densenet_bc40", kCifar},
                                               {"inception_small", kCifar},
                                               {"lstm_text", kText},
                                               {"causal_lm", kTokens},
                                               {"transformer_text", kText},
                                               {"transformer_series", kSeries},
                                               {"lstm_series", kSeries},
                                               {"gat", kNodes},
                                               {"graph_transformer", kMolecule}};
  if (const auto kind = kinds.find(name); kind != kinds.end()) return kind->second;
  return name.ends_with("_cifar") ? kCifar : kImagenet;
}

std::set<std::string> model_names() {
  std::set<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(kModels)) {
    if (file.path().extension() == ".yaml") names.insert(file.path().stem().string());
  }
  return names;
}

}  // namespace

TEST_CASE("every ready model that is written flat is the same model", "[spec][models][ablation]") {
  const std::set<std::string> names = model_names();
  REQUIRE(names.size() >= 26);
  for (const std::string& name : names) {
    CAPTURE(name);
    const Interface data = interface_of_file(name);
    const Json file = model_file(kModels, name, Json::object());
    const model::Declared declared = model::declare(file, data);
    const model::Graph graph = model::build(declared);
    CHECK(model::structural_hash(graph) == model::structural_hash(model::build(file, data)));
    const model::Graph again = model::build(model::write(declared, graph), data);
    CHECK(model::structural_hash(again) == model::structural_hash(graph));
    CHECK(again.operations() == graph.operations());
    CHECK(again.parameters() == graph.parameters());
  }
}

}  // namespace flat_models_test
