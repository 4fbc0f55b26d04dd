// SPDX-License-Identifier: Apache-2.0
#include "document/emit.hpp"

#include "document/environment.hpp"
#include "document/parse.hpp"
#include "support/catch.hpp"

namespace emit_test {

using namespace dlrun;
using namespace dlrun::document;

namespace {

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const BadNumber& bad) const { return {{"bad", bad.message}}; }
  template <class Value>
  Json operator()(const Value& value) const {
    return value;
  }
};

Json value_of(const Node& node) {
  Json value = node.is_list() ? Json::array() : Json::object();
  for (const Node& item : node.items) value.push_back(value_of(item));
  for (const Entry& entry : node.entries) value[entry.key] = value_of(entry.value);
  return node.is_list() || node.is_map() ? value : std::visit(ToJson(), classify(node));
}

/// Written, read again, variables filled in.
Json again(const Json& value) {
  const Substitution rules{.lookup = [](const std::string&) { return std::optional<std::string>("seen"); },
                           .keep = {"args"}};
  Diagnostics faults;
  const Source source = make_source("test.yaml", {}, 0, to_yaml(value), faults);
  std::optional<Node> node = parse(source, faults);
  if (node) substitute(*node, rules, faults);
  INFO(faults.render_errors());
  REQUIRE_FALSE(faults.has_errors());
  return value_of(*node);
}

}  // namespace

TEST_CASE("text that is written as YAML reads back as the same text", "[document][emit]") {
  for (const char* text :
       {"plain",   "two words", "",     "true", "yes",   "null", "~",     "12",      "1e-4",      "010", "0x1F",
        "- dash",  "a: b",      "# no", "'q'",  "\"q\"", "a\nb", "größe", "${HOME}", "$${x}",     "a${", "cost $5",
        "${args}", "{lr}",      "[x]",  ".inf", "*star", "&at",  "@at",   "%",       "!tag",      "|",   ">",
        "a #b",    "key:",      ":x",   "-",    "?",     "/a/b", "nan",   "1_000",   "2024-01-01"}) {
    INFO(text);
    const Json study = {{"key", text}, {"list", {text, text}}, {"map", {{"inner", text}}}};
    CHECK(again(study) == study);
  }
  const Json keys = {{"true", 1}, {"a b", 2}, {"1", 3}, {"x.y", {{"k", 4}}}};
  CHECK(again(keys) == keys);
}

TEST_CASE("numbers keep every bit and their kind", "[document][emit]") {
  const Json numbers = {0.1,  1e-300, 1.0,    123456789012345678, -5, 0, 1.7976931348623157e308, 3.0000000000000004,
                        true, false,  nullptr};
  const Json read = again({{"n", numbers}})["n"];
  REQUIRE(read.size() == numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CHECK(read[i] == numbers[i]);
    CHECK(read[i].is_number_float() == numbers[i].is_number_float());
  }
}

TEST_CASE("structure survives, empty or deep or long", "[document][emit]") {
  Json nodes = Json::array();
  for (int i = 0; i < 3; ++i) {
    nodes.push_back({{"name", "conv" + std::to_string(i)}, {"op", "conv2d"}, {"k", {3, 3}}, {"tags", Json::array()}});
  }
  nodes.push_back({{"name", "block"}, {"op", "residual"}, {"body", nodes}});
  const Json lists = Json::array({Json::array({1, 2}), Json::array({3})});
  const Json study = {
      {"study", "x"}, {"space", Json::object()}, {"trial", {{"model", {{"nodes", nodes}}}, {"l", lists}}}};
  CHECK(again(study) == study);
  CHECK(again(Json::object()) == Json::object());
}

TEST_CASE("a study is written as a person would", "[document][emit]") {
  const Json study = {{"trial", {{"kind", "function"}, {"function", {{"op", "branin"}}}}},
                      {"objective", {{"direction", "minimize"}, {"metric", "value"}}},
                      {"study", "first"},
                      {"limits", {{"trials", 1}}}};
  CHECK(to_yaml(study) ==
        "study: first\n"
        "objective: {metric: value, direction: minimize}\n"
        "limits: {trials: 1}\n"
        "trial:\n"
        "  kind: function\n"
        "  function: {op: branin}\n");
}

}  // namespace emit_test
