// SPDX-License-Identifier: Apache-2.0
// New arrays and new rows of a series for a trained model: nothing is measured on them.
#include <cmath>
#include <numeric>

#include "dataset/fresh.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace fresh_arrays_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

std::vector<double> counted(int count, double from = 0) {
  std::vector<double> values(std::size_t(count), 0);
  std::iota(values.begin(), values.end(), from);
  return values;
}

/// Files of numpy, a trained section, and the fault or the data of new files.
struct Arrays {
  explicit Arrays(const char* text) {
    folder.write("a.npy", npy_bytes("(20, 2)", counted(40)));
    folder.write("b.npy", npy_bytes("(20, 3, 2)", counted(120)));
    folder.write("y.npy", npy_bytes("(20, 2)", counted(40, 100)));
    data = located(section(text), folder.where());
  }
  Fresh fresh(const std::map<std::string, std::string>& files, bool needs_targets = true) const {
    FreshOptions options{.needs_targets = needs_targets};
    for (const auto& [key, name] : files) options.files[key] = (folder.path() / name).string();
    return load_fresh(data, options, 7);
  }

  DataFolder folder;
  Json data;
};

}  // namespace

TEST_CASE("new arrays have the scale of the training arrays", "[dataset][fresh]") {
  const Arrays arrays(R"({"op":"npy","inputs":{"a":"a.npy","b":"b.npy"},"targets":"y.npy","standardise":["a"]})");
  const Dataset known = load(arrays.data, {}, 7);
  arrays.folder.write("new.npy", npy_bytes("(1, 2)", {6, 1000}));
  arrays.folder.write("tall.npy", npy_bytes("(1, 2, 3)", counted(6)));
  arrays.folder.write("one.npy", npy_bytes("(1, 3, 2)", counted(6)));
  const Fresh fresh = arrays.fresh({{"inputs.a", "new.npy"}, {"inputs.b", "one.npy"}}, false);
  CHECK(fresh.dataset.inputs[0].number(0, 0) == known.inputs[0].number(3, 0));
  CHECK(fresh.dataset.inputs[0].number(0, 1) > 50);
  CHECK(fresh.dataset.inputs[1].number(0, 5) == 5);
  CHECK(fresh.dataset.test == std::vector<std::int64_t>{0});
  CHECK_THROWS_WITH(arrays.fresh({{"inputs.a", "new.npy"}, {"inputs.b", "tall.npy"}}, false),
                    Contains("examples of [2, 3], but the model was trained on [3, 2]"));
  CHECK_THROWS_WITH(arrays.fresh({{"inputs.a", "a.npy"}, {"inputs.b", "one.npy"}}, false),
                    Contains("has 20 examples, but"));
  CHECK_THROWS_WITH(arrays.fresh({{"inputs.a", "a.npy"}}, false), Contains("needs 'b'"));
  try {
    arrays.fresh({{"tragets", "y.npy"}});
    FAIL("no fault");
  } catch (const DataError& fault) {
    CHECK(std::string(fault.what()) == "data of op \"npy\" has no 'tragets'");
    CHECK(fault.hint() == "did you mean 'targets'?");
  }
}

TEST_CASE("a file is named by its input, where nothing else is called so", "[dataset][fresh]") {
  const auto keys = [](const char* text) { return fresh_keys(section(text)); };
  const auto apart = keys(R"({"op":"npy","inputs":{"a":"a","b":"b"},"targets":{"y":"y","b":"c"}})");
  REQUIRE(apart.size() == 4);
  CHECK(fresh_key(apart, "a") == "inputs.a");
  CHECK(fresh_key(apart, "y") == "targets.y");
  CHECK(fresh_key(apart, "b") == "b");
  CHECK(fresh_key(apart, "targets.b") == "targets.b");
  const auto single = keys(R"({"op":"npy","inputs":"a.npy","targets":"y.npy"})");
  CHECK(fresh_key(single, "x") == "inputs");
  CHECK(single[0].name == "inputs");
  CHECK(single[1].is_target);
}

TEST_CASE("several targets of new arrays keep their kinds", "[dataset][fresh]") {
  const DataFolder folder;
  const std::string labels = read_file(DLRUN_SOURCE_DIR "/tests/golden/arrays/labels.npy");
  folder.write("x.npy", npy_bytes("(6, 2)", counted(12)));
  folder.write("y.npy", labels);
  const Json data =
      located(section(R"({"op":"npy","inputs":"x.npy","targets":{"c":"y.npy","v":"x.npy"}})"), folder.where());
  const Dataset known = load(data, {}, 7);
  FreshOptions options;
  options.files = {
      {"inputs", data["inputs"]}, {"targets.c", data["targets"]["c"]}, {"targets.v", data["targets"]["v"]}};
  const Fresh fresh = load_fresh(data, options, 7);
  CHECK(fresh.dataset.targets.indices() == known.targets.indices());
  REQUIRE(fresh.dataset.several.size() == 2);
  CHECK(fresh.dataset.several[1].numbers() == known.several[1].numbers());
  CHECK(fresh.dataset.schema.several[0].classes == known.schema.several[0].classes);
}

TEST_CASE("an index that training never saw is named", "[dataset][fresh]") {
  const DataFolder folder;
  const char* text = R"({"op":"npz","path":"t.npz","inputs":{"x":"label"},"targets":"label","indices":["x"]})";
  folder.write("t.npz", read_file(DLRUN_SOURCE_DIR "/tests/golden/arrays/stored.npz"));
  const Json data = located(section(text), folder.where());
  const FreshOptions options{.files = {{"path", (folder.path() / "t.npz").string()}}, .needs_targets = false};
  CHECK(load_fresh(data, options, 7).dataset.inputs[0].indices() == load(data, {}, 7).inputs[0].indices());
}

TEST_CASE("new rows of a series are scaled as the training rows were", "[dataset][fresh]") {
  const char* text = R"({"op":"series","path":"a.npy","target":[1],"window":3,"horizon":2,"standardise_targets":true,
                         "split":{"train":0.5,"val":0.25,"test":0.25}})";
  const Arrays arrays(text);
  const Dataset known = load(arrays.data, {}, 7);
  arrays.folder.write("new.npy", npy_bytes("(6, 2)", counted(12, 10)));  // rows 5 to 10 of the training file
  const Fresh measured = arrays.fresh({{"path", "new.npy"}});
  REQUIRE(measured.dataset.test.size() == 2);
  for (std::int64_t i = 0; i < 6; ++i) CHECK(measured.dataset.inputs[0].number(1, i) == known.inputs[0].number(6, i));
  CHECK(measured.dataset.targets.number(1, 1) == known.targets.number(6, 1));
  const Fresh predicted = arrays.fresh({{"path", "new.npy"}}, false);
  REQUIRE(predicted.ids.size() == 1);
  CHECK(predicted.dataset.targets.examples == predicted.dataset.inputs[0].examples);
  CHECK(predicted.ids[0].cells == std::vector<std::string>{"3", "4", "5", "6"});
  CHECK(predicted.value_names[0] == std::vector<std::string>{"c1_1", "c1_2"});
  // The training half of column 1 is 1, 3, …, 19.
  CHECK(predicted.dataset.schema.unit.shift[0] == 10);
  CHECK(predicted.dataset.schema.unit.scale[0] == Approx(std::sqrt(33.0)));
}

TEST_CASE("new rows of a series in a table are named by its times", "[dataset][fresh]") {
  const DataFolder folder;
  std::string table = "day,load\n";
  for (int i = 0; i < 40; ++i) table += "d" + std::to_string(100 + i) + "," + std::to_string(i) + "\n";
  folder.write("s.csv", table);
  folder.write("new.csv", "day,load\nd141,1\nd142,2\nd143,3\n");
  const Json data =
      located(section(R"({"op":"series","path":"s.csv","target":"load","time":"day","window":2})"), folder.where());
  const Fresh fresh =
      load_fresh(data, {.files = {{"path", (folder.path() / "new.csv").string()}}, .needs_targets = false}, 7);
  CHECK(fresh.ids.at(0).cells == std::vector<std::string>{"2", "3"});
  CHECK(fresh.ids.at(1).name == "day");
  CHECK(fresh.ids.at(1).cells == std::vector<std::string>{"d143", ""});  // of the rows that are foretold
  folder.write("back.csv", "day,load\nd141,1\nd140,2\nd143,3\n");
  CHECK_THROWS_WITH(
      load_fresh(data, {.files = {{"path", (folder.path() / "back.csv").string()}}, .needs_targets = false}, 7),
      Contains("d140"));
}

TEST_CASE("a series that needs no past of its target is foretold without it", "[dataset][fresh]") {
  const DataFolder folder;
  std::string table = "heat,load,day\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i) + "," + std::to_string(i % 5) + ",1\n";
  folder.write("s.csv", table);
  folder.write("new.csv", "day,heat\n1,4\n1,5\n1,\n");
  folder.write("gap.csv", "day,heat,load\n1,4,1\n1,5,\n1,6,3\n");
  const auto inputs = [&](const char* more, const char* file = "new.csv", bool needs_targets = false) {
    const Json data = located(section((std::string(R"({"op":"series","path":"s.csv","target":["load"],"window":2,
        "own_past":false,"fill":"forward")") +
                                       more + "}")
                                          .c_str()),
                              folder.where());
    return load_fresh(data, {.files = {{"path", (folder.path() / file).string()}}, .needs_targets = needs_targets}, 7);
  };
  const Fresh fresh = inputs("");
  REQUIRE(fresh.dataset.inputs[0].examples == 2);
  CHECK(fresh.dataset.inputs[0].number(0, 2) == fresh.dataset.inputs[0].number(1, 2));  // the gap has the last value
  const Fresh held = inputs(R"(,"replace":{"heat":"mean"})");
  CHECK(held.dataset.inputs[0].number(0, 0) == held.dataset.inputs[0].number(0, 2));
  CHECK_THROWS_WITH(inputs(R"(,"replace":{"heat":"permute"})"), Contains("trained with 'heat' permuted"));
  CHECK(inputs("", "gap.csv").dataset.inputs[0].examples == 2);
  CHECK_THROWS_WITH(inputs("", "gap.csv", true), Contains("the target 'load' has no value in line 3"));
}

}  // namespace fresh_arrays_test
