// SPDX-License-Identifier: Apache-2.0
// The data of the examples, as they are in the repository.
#include "files.hpp"
#include "support/catch.hpp"

namespace examples_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {
const Locations kExamples{{std::filesystem::path(DLRUN_SOURCE_DIR) / "examples"}};
}

TEST_CASE("the digits are 1,797 rows of 64 pixels and ten classes", "[dataset][examples]") {
  const DataFolder folder;
  const Json data = section(R"({"op":"csv","path":"digits/data/digits.csv.gz","target":-1,"scale":16})");
  const Dataset digits = load(data, kExamples, 7);
  CHECK(digits.schema.input() == std::vector<std::int64_t>{64});
  CHECK(digits.schema.classes == 10);
  CHECK(digits.schema.class_names.back() == "9");
  CHECK(digits.schema.train + digits.schema.val + digits.schema.test == 1797);
  CHECK(digits.schema.train == 1258);
  CHECK(digits.inputs[0].examples == 1797);
  CHECK(digits.targets.index(0) == 0);
  CHECK(digits.inputs[0].number(0, 2) == 5.0f / 16);
}

TEST_CASE("the Titanic's passengers become numbers, categories and gaps", "[dataset][examples]") {
  const DataFolder folder;
  const Json data = section(R"({"op":"csv","path":"titanic/data/titanic.csv","target":"survived",
                               "features":["pclass","sex","age","embarked"],"indicator":true})");
  const Dataset titanic = load(data, kExamples, 7);
  CHECK(titanic.schema.features == std::vector<std::string>{"pclass", "sex=female", "sex=male", "age", "age=(missing)",
                                                            "embarked=C", "embarked=Q", "embarked=S",
                                                            "embarked=(missing)"});
  CHECK(titanic.schema.columns[4] == "age");
  CHECK(titanic.schema.class_names == std::vector<std::string>{"0", "1"});
  CHECK(titanic.targets.examples == 891);
}

}  // namespace examples_test
