// SPDX-License-Identifier: Apache-2.0
// Elements of lists and maps that are nothing.
#include "document/environment.hpp"
#include "document/reader.hpp"
#include "unit/document/read_text.hpp"

namespace elements_test {

using namespace dlrun;
using namespace dlrun::document;

namespace {

const options::Table kKeys{
    options::list("words", "", options::text("", "")), options::map_of("env", "", options::text("", "")),
    options::list("steps", "", options::integer("", "")), options::list("any", "", options::any("", ""))};

/// `YES` is true, `NO` is not set.
Json read_keys(const std::string& text, std::string& errors) {
  ReadText parsed(text);
  REQUIRE(parsed.root);
  substitute(
      *parsed.root,
      {[](const std::string& name) { return name == "YES" ? std::optional<std::string>("true") : std::nullopt; }, {}},
      parsed.faults);
  Faults faults;
  Json value = read_table(*parsed.root, kKeys, "", "it", faults);
  errors = parsed.errors() + faults.list.render_errors();
  return value;
}

}  // namespace

TEST_CASE("an element that is nothing is a fault at its place", "[document][reader]") {
  std::string errors;
  read_keys("words: [a, ~]\nenv: {A: null, B: }\nsteps: [1, ~]\n", errors);
  CHECK_THAT(errors, Contains("test.yaml:1:12: error: 'words.1' is nothing") &&
                         Contains("test.yaml:2:10: error: 'env.A' is nothing") && Contains("'env.B' is nothing") &&
                         Contains("test.yaml:3:12: error: 'steps.1' is nothing"));
}

TEST_CASE("an element that the environment left empty is an empty text", "[document][reader]") {
  std::string errors;
  const Json value = read_keys("words: [a, \"${NO:-}\"]\nenv: {A: \"${NO:-}\"}\nany: [~]\n", errors);
  CHECK(errors.empty());
  CHECK(value["words"].dump() == "[\"a\",\"\"]");
  CHECK(value["env"].dump() == "{\"A\":\"\"}");
  CHECK(value["any"].dump() == "[null]");
  read_keys("steps: [\"${NO:-}\"]\n", errors);
  CHECK_THAT(errors, Contains("'steps.0' is nothing"));
}

TEST_CASE("a text may be true if a variable says so", "[document][reader]") {
  std::string errors;
  const Json value = read_keys("words: [\"${YES}\", \"${YES}\"]\nenv:\n  A: \"${YES}\"\n  B: ${YES}\n", errors);
  CHECK(errors.empty());
  CHECK(value["words"].dump() == "[\"true\",\"true\"]");
  CHECK(value["env"].dump() == "{\"A\":\"true\",\"B\":\"true\"}");
  read_keys("env: {A: true}\n", errors);
  CHECK_THAT(errors, Contains("test.yaml:1:10: error: 'env.A' must be a text, but is 'true'"));
}

}  // namespace elements_test
