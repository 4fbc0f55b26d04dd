// SPDX-License-Identifier: Apache-2.0
// Several targets of one data set, by name.
#include "dataset/schema_json.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace targets_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

constexpr const char* kTable = "a,kind,size,price\n1,oak,2,0.5\n2,elm,3,1.5\n3,oak,4,2.5\n4,elm,2,3.5\n5,oak,3,4.5\n";

Dataset table_of(const DataFolder& folder, const std::string& options) {
  folder.write("t.csv", kTable);
  return load(parse_json(R"({"op":"csv","path":"t.csv","split":{"train":1,"val":0,"test":0},)" + options + "}", "data"),
              folder.where(), 1);
}

std::string fault_of(const DataFolder& folder, const std::string& options) {
  try {
    table_of(folder, options);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("a table's targets have names, each classes or numbers", "[dataset][targets]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, R"("target":{"tree":"kind","much":["size","price"]})");
  REQUIRE(d.schema.several.size() == 2);
  CHECK(d.schema.several[0].name == "much");
  CHECK(d.schema.several[0].classes == 0);
  CHECK(d.schema.several[0].width == 2);
  CHECK(d.several[0].numbers() == std::vector<float>{2, 0.5, 3, 1.5, 4, 2.5, 2, 3.5, 3, 4.5});
  CHECK(d.schema.several[1].class_names == std::vector<std::string>{"elm", "oak"});
  CHECK(d.several[1].indices() == std::vector<std::int64_t>{1, 0, 1, 0, 1});
  CHECK(d.schema.features == std::vector<std::string>{"a"});
}

TEST_CASE("rows are divided by the first target with classes", "[dataset][targets]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, R"("target":{"b":"kind","a":"price"})");
  CHECK(d.schema.classes == 2);
  CHECK(d.schema.class_names == std::vector<std::string>{"elm", "oak"});
  CHECK(d.targets.indices() == d.several[1].indices());
  const Schema a = seen_by(d.schema, "a");
  CHECK(a.classes == 0);
  CHECK(a.targets == 1);
  CHECK(a.class_names.empty());
}

TEST_CASE("a task can be said of each target", "[dataset][targets]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, R"("target":{"tree":"kind","much":"size"},"task":{"much":"regression"})");
  CHECK(find_target(d.schema, "much")->classes == 0);
  CHECK(table_of(folder, R"("target":{"tree":"kind","much":"size"})").schema.several[0].classes == 3);
}

TEST_CASE("targets survive JSON; one target leaves no trace of names", "[dataset][targets]") {
  const DataFolder folder;
  const Schema several = table_of(folder, R"("target":{"tree":"kind","much":"price"})").schema;
  CHECK(to_json(schema_from_json(to_json(several))) == to_json(several));
  CHECK(to_json(several)["several"].size() == 2);
  CHECK_FALSE(to_json(table_of(folder, R"("target":"kind")").schema).contains("several"));
}

TEST_CASE("faults in the names of targets", "[dataset][targets]") {
  const DataFolder folder;
  CHECK(fault_of(folder, R"("target":{"tree":"knd"})") ==
        "target.tree: there is no column 'knd' in '" + (folder.path() / "t.csv").string() + "' | did you mean 'kind'?");
  CHECK(fault_of(folder, R"("target":{"a.b":"kind"})") ==
        "target: a target cannot be named \"a.b\" | letters, digits, _ and -");
  CHECK(fault_of(folder, R"("target":{})") == "target: 'target' is an empty map | name what is to be predicted");
  CHECK(fault_of(folder, R"("target":{"tree":"kind"},"task":{"tre":"regression"})") ==
        "task.tre: there is no target 'tre' | did you mean 'tree'?");
  CHECK(fault_of(folder, R"("target":"kind","task":{"tree":"regression"})") ==
        "task.tree: there is no target 'tree' | one target needs no name: task: regression");
  CHECK(fault_of(folder, R"("target":{"tree":"kind"},"task":{"tree":"guess"})") ==
        "task.tree: there is no task 'guess' | auto, classification or regression");
  CHECK(fault_of(folder, R"("target":{"tree":["kind","size"]},"task":{"tree":"classification"})") ==
        "target.tree: a classification has one target column | name one, or `task: regression`");
}

TEST_CASE("arrays give several targets, their test split the same", "[dataset][targets]") {
  const DataFolder folder;
  folder.write("x.npy", npy_bytes("(4, 2)", {1, 2, 3, 4, 5, 6, 7, 8}));
  folder.write("y.npy", npy_bytes("(4, 2)", {.1, .2, .3, .4, .5, .6, .7, .8}));
  folder.write("z.npy", npy_bytes("(4,)", {1, 2, 3, 4}));
  const auto load_with = [&](const std::string& more) {
    return load(parse_json(R"({"op":"npy","inputs":"x.npy","split":{"val":0.25},)" + more + "}", "data"),
                folder.where(), 1);
  };
  const Dataset d = load_with(R"("targets":{"y":"y.npy","z":"z.npy"},"test_inputs":"x.npy",
                                 "test_targets":{"y":"y.npy","z":"z.npy"})");
  CHECK(d.schema.test == 4);
  CHECK(d.several[0].examples == 8);
  CHECK(d.schema.several[0].width == 2);
  CHECK(d.several[1].numbers() == std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4});
  CHECK_THROWS_WITH(load_with(R"("targets":{"y":"y.npy"},"test_inputs":"x.npy","test_targets":{"z":"z.npy"})"),
                    "'test_targets' has other names than 'targets'");
}

}  // namespace targets_test
