// SPDX-License-Identifier: Apache-2.0
// The schema knows every key that examples use and no other; --show-defaults is a document that reads.
#include "document/load.hpp"
#include "document/parse.hpp"
#include "spec/keys.hpp"
#include "support/golden.hpp"
#include "unit/spec/study_file.hpp"

namespace schema_test {

using namespace dlrun;
using namespace dlrun::spec;
namespace fs = std::filesystem;

namespace {

/// Follows $ref.
const Json& resolved(const Json& schema, const Json& part) {
  return part.contains("$ref") ? schema.at(Json::json_pointer(part["$ref"].get<std::string>().substr(1))) : part;
}

std::string matches(const Json& schema, const Json& part, const document::Node& node);

/// The first key that a map schema does not know; empty: all known.
std::string unknown_key(const Json& schema, const Json& part, const document::Node& node) {
  for (const document::Entry& entry : node.entries) {
    const Json properties = part.value("properties", Json::object());
    const bool is_free = part.contains("additionalProperties") && part["additionalProperties"].is_object();
    if (!properties.contains(entry.key) && !is_free) return entry.key;
    const Json& inner = properties.contains(entry.key) ? properties[entry.key] : part["additionalProperties"];
    const std::string fault = matches(schema, inner, entry.value);
    if (!fault.empty()) return entry.key + "." + fault;
  }
  return {};
}

bool has_wrong_tag(const Json& part, const document::Node& node) {
  const Json properties = part.value("properties", Json::object());
  for (const auto& [name, property] : properties.items()) {
    const document::Node* value = node.find(name);
    if (property.contains("const") && value != nullptr && property["const"] != value->text) return true;
  }
  return false;
}

std::string matches(const Json& schema, const Json& given, const document::Node& node) {
  const Json& part = resolved(schema, given);
  if (part.contains("anyOf")) {
    std::string first;
    for (const Json& one : part["anyOf"]) {
      const std::string fault = matches(schema, one, node);
      if (fault.empty()) return {};
      if (first.empty() || fault.size() > first.size()) first = fault;
    }
    return first;
  }
  if (part.value("type", Json()) == "object") {
    if (!node.is_map()) return "(no map)";
    return has_wrong_tag(part, node) ? "(another kind)" : unknown_key(schema, part, node);
  }
  if (part.value("type", Json()) == "array") {
    if (!node.is_list()) return "(no list)";
    for (const document::Node& item : node.items) {
      const std::string fault = matches(schema, part.value("items", Json::object()), item);
      if (!fault.empty()) return fault;
    }
    return {};
  }
  if (part.contains("enum") && !node.is_scalar()) return "(no word)";
  return part.empty() || node.is_scalar() || node.is_null() || !part.contains("type") ? "" : "(no single value)";
}

std::string fault_of(const Json& schema, const fs::path& file) {
  document::Diagnostics faults;
  const auto source = document::make_source(file.string(), file.parent_path(), 0, read_file(file), faults);
  const auto root = document::parse(source, faults);
  REQUIRE(root);
  return matches(schema, schema, *root);
}

}  // namespace

TEST_CASE("every example is a study by the schema", "[spec][schema]") {
  const Json all = schema();
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(DLRUN_SOURCE) / "examples")) {
    const fs::path file = entry.path() / "study.yaml";
    if (!fs::exists(file)) continue;
    INFO(file.string());
    CHECK(fault_of(all, file).empty());
    ++count;
  }
  CHECK(count >= 5);
}

TEST_CASE("the schema refuses keys that are none, deep inside too", "[spec][schema]") {
  const Json all = schema();
  const fs::path specs = fs::path(DLRUN_SOURCE) / "tests/golden/specs";
  CHECK(fault_of(all, specs / "key-unknown.yaml") == "sed");
  CHECK_FALSE(fault_of(all, specs / "key-unknown-deep.yaml").empty());
  CHECK_FALSE(fault_of(all, specs / "train-optimizer-key.yaml").empty());
  CHECK_FALSE(fault_of(all, specs / "model-attribute.yaml").empty());
}

// An editor underlined spaces that `dlrun check` reads, those of `dlrun show --yaml` among them.
TEST_CASE("the schema knows every form of a space", "[spec][schema]") {
  const Json all = schema();
  const std::string rest = "study: s\nobjective: {metric: value}\ntrial: {kind: function, function: branin}\nspace: ";
  const StudyFile file(rest + "{}\n", "schema");
  const auto fault = [&](const std::string& space) {
    file.write("study.yaml", rest + space + "\n");
    return fault_of(all, file.folder / "study.yaml");
  };
  CHECK(fault("{}") == "");
  CHECK(fault("[]") == "");
  CHECK(fault("{lr: {value: 0.1}}") == "");
  CHECK(fault("[{name: lr, type: constant, value: 0.1}, {name: x, type: float, low: 0, high: 1}]") == "");
  CHECK(fault("[{name: x, type: float, lowest: 0, high: 1}]") != "");
}

TEST_CASE("the examples whose data is here are read without a fault", "[spec][examples]") {
  for (const char* name : {"digits", "titanic", "function", "command"}) {
    INFO(name);
    const StudySpec spec = read({fs::path(DLRUN_SOURCE) / "examples" / name / "study.yaml", {}, {}, {}});
    CHECK(spec.rules.slack > 0);
  }
}

TEST_CASE("show_defaults is YAML and says the default of every key", "[spec][defaults]") {
  document::Diagnostics faults;
  const std::string text = show_defaults();
  const auto root = document::parse(document::make_source("defaults", ".", 0, text, faults), faults);
  CHECK(faults.render_errors().empty());
  REQUIRE(root);
  CHECK(root->find("search")->find("lanes")->text == "auto");
  for (const Key& key : study_keys()) CHECK_THAT(text, Contains(key.name + ":"));
}

// DLRUN_APPROVE=1 writes the page anew.
TEST_CASE("the page of all keys is that of the table", "[spec][schema]") {
  const fs::path place = fs::path(DLRUN_SOURCE) / "docs/keys.md";
  const std::string page = reference();
  CHECK(support::first_difference(page, support::golden(place, page)) == "");
}

}  // namespace schema_test
