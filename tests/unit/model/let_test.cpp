// SPDX-License-Identifier: Apache-2.0
// Numbers with names, and attributes that compute with them.
#include <cmath>

#include "graphs.hpp"
#include "model/expression.hpp"
#include "support/catch.hpp"

namespace let_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

double value_of(const std::string& text) {
  return evaluate(text, [](const std::string& name) { return name == "width" ? 24.0 : 0.5; });
}

std::string fault_of(const std::string& text) {
  try {
    (void)value_of(text);
  } catch (const ExpressionFault& fault) {
    return fault.what();
  }
  return "none";
}

Graph with(const std::string& let, const std::string& nodes) {
  return build(parse_json(R"({"let":)" + let + R"(,"nodes":)" + nodes + "}", "model"), {{{"x", {8}}}, 0, 2});
}

std::vector<std::string> faults_with(const std::string& let, const std::string& attribute) {
  return faults_of(R"({"let":)" + let + R"(,"nodes":[{"op":"flatten"},{"op":"linear","out":)" + attribute +
                   R"(},{"op":"linear","out":"classes"}]})");
}

}  // namespace

TEST_CASE("arithmetic has the usual precedence", "[model][expression]") {
  const auto [text, value] = GENERATE(table<std::string, double>({{"width", 24},
                                                                  {"2 * width + 1", 49},
                                                                  {"2*(width+1)", 50},
                                                                  {"width - 4 - 3", 17},
                                                                  {"width / 5", 4.8},
                                                                  {"width // 5", 4},
                                                                  {"-width // 5", -5},
                                                                  {"-(p - 1) * 2", 1},
                                                                  {"round(width / 5)", 5},
                                                                  {"round(2.5)", 3},
                                                                  {"min(width, 3) + max(1, 2)", 5},
                                                                  {"1e-3 * 2", 2e-3},
                                                                  {" .5+.5 ", 1}}));
  CAPTURE(text);
  CHECK(value_of(text) == value);
}

TEST_CASE("divisible is torchvision's rule for widths", "[model][expression]") {
  // values of torchvision.models._utils._make_divisible(v, 8)
  const auto [text, value] = GENERATE(table<std::string, double>({{"divisible(0.75 * width, 8)", 24},
                                                                  {"divisible(12, 8)", 16},
                                                                  {"divisible(3, 8)", 8},
                                                                  {"divisible(11.2, 8)", 16},
                                                                  {"divisible(33.6, 8)", 32},
                                                                  {"divisible(134.4, 8)", 136}}));
  CAPTURE(text);
  CHECK(value_of(text) == value);
}

TEST_CASE("what is no arithmetic says why", "[model][expression]") {
  CHECK(fault_of("width *") == "it ends too early");
  CHECK(fault_of("width 2") == "'2' is not understood there");
  CHECK(fault_of("2width") == "'width' is not understood there");
  CHECK(fault_of("(width") == "it ends too early");
  CHECK(fault_of("width ^ 2") == "'^ 2' is not understood there");
  CHECK(fault_of("width / (p - .5)") == "it divides by zero");
  CHECK(fault_of("width // 0") == "it divides by zero");
  CHECK(fault_of("1e300 * 1e300") == "its value is not finite");
  CHECK(fault_of("round(1, 2)") == "there is no round() of 2 numbers like these");
  CHECK(fault_of("divisible(1, 0)") == "there is no divisible() of 2 numbers like these");
  CHECK(fault_of(std::string(150, '(') + std::string(60, ')')) == "it is longer than 200 characters");
}

TEST_CASE("attributes compute with let", "[model][let]") {
  const Graph graph = with(R"({"width":6,"wide":"2 * width","p":0.25})",
                           R"([{"op":"linear","out":"wide + 1"},{"op":"dropout","p":"p / 2"},
    {"op":"group","repeat":"width // 3","body":[{"op":"linear","out":"width"}]},
    {"op":"reshape","shape":["width / 2",2]},{"op":"flatten"},{"op":"linear","out":"targets"}])");
  CHECK(graph.nodes[0].out == Shape{13});
  CHECK(graph.nodes[1].attributes["p"] == 0.125);
  CHECK(graph.nodes[3].out == Shape{6});
  CHECK(graph.nodes[4].out == Shape{3, 2});
  CHECK(graph.nodes.size() == 7);
  CHECK(with(R"({"n":3})", R"([{"op":"linear","out":"targets","repeat":"n"}])").nodes.size() == 3);
}

TEST_CASE("the same numbers written out are the same model", "[model][let][hash]") {
  CHECK(structural_hash(with(R"({"w":4})", R"([{"op":"linear","out":"w"},{"op":"linear","out":"w // 2"}])")) ==
        structural_hash(with("{}", R"([{"op":"linear","out":4},{"op":"linear","out":2}])")));
}

TEST_CASE("faults of let and of what computes with it", "[model][let][faults]") {
  using Lines = std::vector<std::string>;
  CHECK(faults_with(R"({"width":8})", R"("2 * wdith")") ==
        Lines{"nodes.1.out: 'out' is \"2 * wdith\": there is no 'wdith' in let (did you mean 'width'?)"});
  CHECK(faults_with(R"({"width":8})", R"("wdith")") ==
        Lines{"nodes.1.out: 'out' is \"wdith\": there is no 'wdith' in let (did you mean 'width'?)"});
  CHECK(faults_with(R"({"width":7})", R"("width / 2")") ==
        Lines{"nodes.1.out: 'out' is \"width / 2\": it has the value 3.5, but must be a whole number (write "
              "round(width / 2), or // to round down)"});
  CHECK(
      faults_with(R"({"width":7})", R"("width - 7")") ==
      Lines{
          "nodes.1.out: 'out' must be a whole number of at least 1, or one of classes, targets, outputs, but is 0 ()"});
  CHECK(faults_with(R"({"width":7})", R"("width / 0")") ==
        Lines{"nodes.1.out: 'out' is \"width / 0\": it divides by zero (the divisor must not be 0)"});
  CHECK(faults_with(R"({"width":7,"depth":2})", R"("width")") ==
        Lines{"let.depth: nothing uses 'depth' (remove it, or use it in a layer, e.g. out: depth)"});
  CHECK(faults_with(R"({"width":7,"wdith":2})", R"("width")") ==
        Lines{"let.wdith: nothing uses 'wdith' (did you mean 'width'?)"});
  CHECK(faults_with(R"({"width":7,"a":"width","b":"a"})", R"("width")").size() == 2);
  CHECK(faults_with(R"({"a":"b + 1","b":"a"})", R"("a")") ==
        Lines{"let.b: 'b' is \"a\": 'a' depends on itself (give it a number)"});
  CHECK(faults_with(R"({"a":"a"})", R"("a")") ==
        Lines{"let.a: 'a' is \"a\": 'a' depends on itself (give it a number)"});
  CHECK(faults_with(R"({"a":true})", R"("a")") ==
        Lines{"let.a: 'a' must be a number, but is true (a number, or an expression of other names, e.g. 4 * width)"});
  CHECK(faults_with(R"({"2a":1})", "4") ==
        Lines{"let.2a: \"2a\" is no name for a value (letters, digits and '_', e.g. width)"});
  CHECK(faults_with("[1]", "4") == Lines{"let: 'let' must map names to numbers (e.g. let: {width: 64})"});
}

TEST_CASE("a number in quotes stays a text", "[model][let][faults]") {
  CHECK(faults_with("{}", R"("64")").size() == 1);
  CHECK(faults_with("{}", R"("-4")").size() == 1);
}

}  // namespace let_test
