// SPDX-License-Identifier: Apache-2.0
// Layers that use the weights of another one.
#include "graphs.hpp"
#include "support/catch.hpp"

namespace share_test {

using namespace dlrun;
using namespace dlrun::model;
using Catch::Matchers::Contains;

namespace {

const std::string kTied =
    R"([{"name":"a","op":"linear","out":6},{"name":"t","op":"tanh"},{"name":"b","op":"linear","out":6,"share":"a"}])";
const Interface kRow = input_of({6});

std::string fault_of(const std::string& last) {
  const auto faults = faults_of(R"({"nodes":[{"name":"a","op":"linear","out":6},{"name":"t","op":"tanh"},)" + last +
                                    R"(,{"op":"linear","out":"targets"}]})",
                                kRow);
  REQUIRE(faults.size() == 1);
  return faults[0];
}

}  // namespace

TEST_CASE("shared weights are counted once, under their owner's name", "[model][share]") {
  const Graph graph = part_of(kTied, kRow);
  CHECK(graph.parameters() == 6 * 6 + 6);
  CHECK(graph.operations() == 36 + 6 + 36);
  CHECK(graph.find("b")->tensors.empty());
  REQUIRE(graph.find("b")->shared.size() == 2);
  CHECK(graph.find("b")->shared[0].name == "weight");
  CHECK(graph.find("b")->shared[0].of == "a.weight");
}

TEST_CASE("what the owner has no tensor for stays the layer's own", "[model][share]") {
  const Graph graph =
      part_of(R"([{"name":"e","op":"embedding","out":8},{"name":"h","op":"linear","out":100,"share":"e","bias":true}])",
              {{{"x", Input({5}, 100)}}, 100, 1, {5}});
  REQUIRE(graph.find("h")->tensors.size() == 1);
  CHECK(graph.find("h")->tensors[0].name == "bias");
  CHECK(graph.find("h")->shared.at(0).of == "e.weight");
  CHECK(graph.parameters() == 100 * 8 + 100);
}

TEST_CASE("sharing weights changes the hash", "[model][share]") {
  const std::string apart =
      R"([{"name":"a","op":"linear","out":6},{"name":"t","op":"tanh"},{"name":"b","op":"linear","out":6}])";
  CHECK(structural_hash(part_of(kTied, kRow)) != structural_hash(part_of(apart, kRow)));
  CHECK(structural_hash(part_of(kTied, kRow)) == structural_hash(part_of(kTied, kRow)));
}

TEST_CASE("every copy of a repeated layer may use one owner's weights", "[model][share]") {
  const Graph graph = part_of(
      R"([{"name":"a","op":"linear","out":6},{"name":"r","op":"linear","out":6,"share":"a","repeat":3}])", kRow);
  CHECK(graph.parameters() == 42);
  CHECK(graph.find("r.2")->shared.at(1).of == "a.bias");
}

TEST_CASE("only one layer can be the owner", "[model][share]") {
  const auto faults = faults_of(R"({"nodes":[{"name":"g","op":"group","body":[{"name":"a","op":"linear","out":6}]},
    {"name":"b","op":"linear","out":6,"share":"g"},{"name":"c","op":"linear","out":6,"share":"g.a"},
    {"name":"r","op":"linear","out":6,"repeat":2},{"name":"d","op":"linear","out":6,"share":"r"},
    {"op":"linear","out":"targets"}]})",
                                kRow);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0] ==
        "nodes.1.share: 'g' is several layers, which end with 'g.a' (name the one whose weights are meant)");
  CHECK_THAT(faults[1], Contains("nodes.4.share: 'r' is several layers, which end with 'r.1'"));
}

TEST_CASE("faults of sharing have their place", "[model][share]") {
  CHECK(fault_of(R"({"name":"b","op":"linear","out":6,"share":"aa"})") ==
        "nodes.2.share: there is no layer 'aa' above this one (did you mean 'a'?)");
  CHECK_THAT(fault_of(R"({"name":"b","op":"linear","out":6,"share":7})"),
             Contains("nodes.2.share: 'share' must name a layer, but is 7"));
  CHECK(fault_of(R"({"name":"b","op":"linear","out":5,"share":"a"})") ==
        "nodes.2.share: 'b': its weight is [5, 6], but that of 'a' is [6, 6] (layers that share weights have the same "
        "sizes)");
  CHECK(fault_of(R"({"name":"b","op":"linear","out":6,"share":"t"})") ==
        "nodes.2.share: 'b': it has no weights in common with 't' (it has weight, bias, 't' has none)");
  CHECK_THAT(fault_of(R"({"name":"b","op":"linear","out":6,"share":"x"})"),
             Contains("nodes.2.share: 'x' is no layer with weights"));
  CHECK_THAT(fault_of(R"({"name":"b","op":"relu","share":"a"})"),
             Contains("nodes.2.share: 'b': it has no weights in common with 'a' (it has none, 'a' has weight, bias)"));
  CHECK_THAT(fault_of(R"({"name":"g","op":"group","share":"a","body":[{"op":"relu"}]})"),
             Contains("nodes.2.share: a group has no tensors of its own to share"));
  CHECK_THAT(
      fault_of(R"({"name":"b","op":"linear","out":6,"share":"a"},{"name":"c","op":"linear","out":6,"share":"b"})"),
      Contains("nodes.3.share: 'c': 'b' itself uses the weights of another layer (share with that one: share: a)"));
}

}  // namespace share_test
