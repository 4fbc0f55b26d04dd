// SPDX-License-Identifier: Apache-2.0
// op: svmlight. Sparse text as dense rows.
#include <algorithm>

#include "dataset/prepared.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace svmlight_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

const char* const kRaw = R"(,"standardise":false,"split":{"train":1,"val":0,"test":0})";

struct Files {
  Json data(const std::string& more) const {
    return section((R"({"op":"svmlight","path":"train.txt")" + more + "}").c_str());
  }
  Dataset load(const std::string& text, const std::string& more = kRaw) const {
    folder.write("train.txt", text);
    return dataset::load(data(more), folder.where(), 7);
  }
  DataError fault(const std::string& text, const std::string& more = kRaw) const {
    try {
      load(text, more);
    } catch (const DataError& found) {
      return found;
    }
    FAIL("no fault in " << text);
    return {"", ""};
  }

  DataFolder folder;
};

using Numbers = std::vector<float>;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("absent indices are 0", "[dataset][svmlight]") {
  const Files files;
  const Dataset dataset =
      files.load("# made by hand\n1 1:0.5 4:-2 # first\r\n\n-1\t3:1e2\t\n1 # nothing\n-1 2:.5 4:+3");
  CHECK(dataset.inputs[0].numbers() == Numbers{0.5, 0, 0, -2, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0.5, 0, 3});
  CHECK(dataset.schema.features == Names{"1", "2", "3", "4"});
  CHECK(dataset.schema.class_names == Names{"-1", "1"});
  CHECK(dataset.targets.indices() == std::vector<std::int64_t>{1, 0, 1, 0});
}

TEST_CASE("gzip and a byte order mark change nothing", "[dataset][svmlight]") {
  const Files files;
  const std::string text = "1 1:2\n0 2:3\n";
  const Dataset plain = files.load(text);
  CHECK(files.load(gzipped(text)).inputs[0].numbers() == plain.inputs[0].numbers());
  CHECK(files.load("\xef\xbb\xbf" + text).inputs[0].numbers() == plain.inputs[0].numbers());
}

TEST_CASE("the first index is 0 where 0 occurs, or as the section says", "[dataset][svmlight]") {
  const Files files;
  const std::string one = "1 1:2\n0 2:3\n", zero = "1 1:2\n0 0:3\n";
  const auto with = [](const std::string& word) { return R"(,"zero_based":)" + word + kRaw; };
  CHECK(files.load(one).inputs[0].numbers() == Numbers{2, 0, 0, 3});
  CHECK(files.load(one, with("false")).inputs[0].numbers() == Numbers{2, 0, 0, 3});
  CHECK(files.load(one, with("true")).inputs[0].numbers() == Numbers{0, 2, 0, 0, 0, 3});
  CHECK(files.load(zero).inputs[0].numbers() == Numbers{0, 2, 3, 0});
  CHECK(files.load(zero).schema.features == Names{"0", "1"});
  const DataError fault = files.fault(zero, with("false"));
  CHECK_THAT(fault.what(), Contains("line 2 has the index 0, but the columns are 1 to 1"));
  CHECK(fault.hint() == "`zero_based: true` counts from 0");
  CHECK_THAT(fault.place(), Contains("train.txt:2:3"));
}

TEST_CASE("`features` says how many columns there are", "[dataset][svmlight]") {
  const Files files;
  const auto with = [](int count) { return R"(,"features":)" + std::to_string(count) + kRaw; };
  CHECK(files.load("1 1:2\n0 2:3\n", with(3)).inputs[0].numbers() == Numbers{2, 0, 0, 0, 3, 0});
  CHECK(files.load("1\n0\n", with(1)).inputs[0].numbers() == Numbers{0, 0});
  const DataError fault = files.fault("1 1:2\n0 1:1  20:3\n", with(19));
  CHECK_THAT(fault.what(), Contains("line 2 has the index 20, but the columns are 1 to 19"));
  CHECK_THAT(fault.place(), Contains("train.txt:2:8"));
  CHECK(files.fault("1 1:2\n0\n", with(100001)).path() == "features");
  CHECK(files.load("1 1:2\n0 2:3\n", with(3)).schema.sha256 != files.load("1 1:2\n0 2:3\n").schema.sha256);
}

TEST_CASE("targets are classes or numbers as those of csv", "[dataset][svmlight]") {
  const Files files;
  CHECK(files.load("+1 1:2\n1.0 2:3\n1e0 1:1\n10 1:1\n2 1:1\n").schema.class_names == Names{"1", "2", "10"});
  SECTION("a fraction makes them numbers") {
    const Dataset dataset = files.load("0.1 1:2\n2 2:3\n-1.5e-3 1:1\n");
    CHECK(dataset.schema.classes == 0);
    CHECK(dataset.targets.numbers() == Numbers{0.1F, 2, -1.5e-3F});
  }
  SECTION("so do more than 20 whole ones, and the section") {
    std::string text;
    for (int i = 0; i < 21; ++i) text += std::to_string(i) + " 1:1\n";
    CHECK(files.load(text).schema.classes == 0);
    CHECK(files.load(text, R"(,"task":"classification")" + std::string(kRaw)).schema.classes == 21);
    CHECK(files.load("1 1:2\n0 2:3\n", R"(,"task":"regression")" + std::string(kRaw)).schema.classes == 0);
  }
  CHECK_THAT(files.fault("1 1:2\n1 2:3\n").what(), Contains("the target 'target' is the same in every row"));
}

TEST_CASE("a faulty line is named with its column", "[dataset][svmlight]") {
  const Files files;
  const auto [line, place, message] = GENERATE(table<std::string, std::string, std::string>(
      {{"a 1:2", "2:1", "line 2 begins with \"a\", but a target is a finite number"},
       {"  1,2 1:2", "2:3", "begins with \"1,2\""},
       {"1:2 2:2", "2:1", "begins with \"1:2\""},
       {"inf 1:2", "2:1", "a target is a finite number"},
       {"1 qid:3 1:2", "2:3", "line 2 has \"qid:3\", but examples have no groups that a ranking could learn from"},
       {"1 2:2 2:3", "2:7", "line 2 has the index 2 behind 2"},
       {"1 5:2 \t3:3", "2:8", "line 2 has the index 3 behind 5"},
       {"1 1:nan", "2:3", "line 2 has \"1:nan\", whose value is no finite number"},
       {"1 1:2 2:1e999", "2:7", "no finite number"},
       {"1 1:", "2:3", "no finite number"},
       {"1 1:2:3", "2:3", "no finite number"},
       {"1 2", "2:3", "line 2 has \"2\" where index:value belongs"},
       {"1 1 :2", "2:3", "where index:value belongs"},
       {"1 -1:2", "2:3", "where index:value belongs"},
       {"1 1.5:2", "2:3", "where index:value belongs"},
       {"1 99999999999999999999:2", "2:3", "where index:value belongs"},
       {"1 100001:2", "2:3", "line 2 has the index 100001, above 100000"}}));
  const DataError found = files.fault("0 1:1\n" + line + "\n");
  CHECK_THAT(found.what(), Contains(message));
  CHECK(found.place() == (files.folder.path() / "train.txt").string() + ":" + place);
  CHECK_FALSE(found.hint().empty());
}

TEST_CASE("a number that float32 cannot hold is named by its line", "[dataset][svmlight]") {
  const Files files;
  const DataError fault = files.fault("1 1:1\n0 1:1e39\n");
  CHECK_THAT(fault.what(), Contains("column '1' has a number in line 2 that float32 cannot hold"));
}

TEST_CASE("a file without examples, without columns or too large for dense rows is refused", "[dataset][svmlight]") {
  const Files files;
  CHECK_THAT(files.fault("# nothing\n\n").what(), Contains("has no rows"));
  const DataError narrow = files.fault("1\n0\n");
  CHECK_THAT(narrow.what(), Contains("has no index that could be a column"));
  CHECK_THAT(narrow.hint(), Contains("features"));
  std::string text;
  for (int i = 0; i < 10738; ++i) text += "1 100000:1\n";  // 10,738 * 100,000 * 4 bytes are just above 4 GiB
  const DataError large = files.fault(text);
  CHECK_THAT(large.what(), Contains("has 10738 rows of 100000 features: as float32, absent ones too, more than 4 GiB"));
  CHECK_THAT(large.hint(), Contains("`features`"));
}

TEST_CASE("numbers are those of a csv table with the same columns", "[dataset][svmlight]") {
  const Files files;
  std::string sparse, dense;
  for (int i = 0; i < 40; ++i) {
    const std::string a = std::to_string(i * i) + ".1", b = i % 3 == 0 ? "0" : "1e-" + std::to_string(i);
    sparse += std::to_string(i % 2) + " 1:" + a + (i % 3 == 0 ? "" : " 3:" + b) + "\n";
    dense += a + ",0," + b + "," + std::to_string(i % 2) + "\n";
  }
  files.folder.write("t.csv", dense);
  for (const char* more : {"", R"(,"scale":16)", R"(,"scale":3,"standardise":true,"split":{"folds":4})"}) {
    const Dataset one = files.load(sparse, more);
    const Dataset other = dataset::load(
        section((R"({"op":"csv","path":"t.csv","header":false,"target":-1)" + std::string(more) + "}").c_str()),
        files.folder.where(), 7);
    CHECK(one.inputs[0].numbers() == other.inputs[0].numbers());
    CHECK(one.targets.indices() == other.targets.indices());
    CHECK(one.schema.class_names == other.schema.class_names);
    CHECK((one.train == other.train && one.val == other.val && one.test == other.test));
  }
}

TEST_CASE("files of their own are the validation and test splits", "[dataset][svmlight]") {
  const Files files;
  const std::string train = "1 1:2\n0 2:3\n", both = R"(,"val":"val.txt","test":"test.txt","standardise":false)";
  files.folder.write("val.txt", "+1 2:5\n");
  files.folder.write("test.txt", "0 1:7\n1\n");
  const Dataset dataset = files.load(train, both);
  CHECK(dataset.inputs[0].numbers() == Numbers{2, 0, 0, 3, 0, 5, 7, 0, 0, 0});
  CHECK(dataset.train == std::vector<std::int64_t>{0, 1});
  CHECK(dataset.val == std::vector<std::int64_t>{2});
  CHECK(dataset.test == std::vector<std::int64_t>{3, 4});
  SECTION("an index that `path` does not reach") {
    files.folder.write("test.txt", "0 1:7\n1 2:1 3:1\n");
    const DataError fault = files.fault(train, both);
    CHECK(fault.path() == "test");
    CHECK_THAT(fault.what(), Contains("line 2 has the index 3, but the columns are 1 to 2"));
    CHECK(fault.hint() == "`features: N` says how many there are");
    CHECK_THAT(fault.place(), Contains("test.txt:2:7"));
    CHECK(files.load(train, both + R"(,"features":3)").schema.test == 2);
  }
  SECTION("the first index is that of `path`") {
    files.folder.write("test.txt", "0 0:7\n");
    CHECK(files.fault(train, both).hint() == "`zero_based: true` counts from 0");
    CHECK(files.load("1 0:2\n0 1:3\n", both + R"(,"features":3)").inputs[0].number(2, 2) == 5);
  }
  SECTION("a class that `path` has not") {
    files.folder.write("test.txt", "0 1:7\n2 1:1\n");
    const DataError fault = files.fault(train, both);
    CHECK(fault.path() == "test");
    CHECK_THAT(fault.place(), Contains("test.txt:2"));
  }
  SECTION("a share of what they give is an error") {
    CHECK(files.fault(train, both + R"(,"split":{"val":0.1})").path() == "split.val");
  }
  SECTION("one alone leaves the other to be drawn") {
    const std::string more = R"(,"test":"test.txt","split":{"val":0.5})";
    CHECK(files.load("1 1:2\n0 2:3\n1 1:1\n0 1:4\n", more).schema.val == 2);
  }
}

TEST_CASE("new examples are prepared as the training ones were", "[dataset][svmlight]") {
  const Files files;
  const std::string text = "1 1:2 2:1\n0 2:3\n1 1:1\n0 1:4\n";
  const std::string all = R"(,"split":{"train":1,"val":0,"test":0})";
  const Dataset trained = files.load(text, all);
  const Json located = dataset::located(files.data(all), files.folder.where());
  const auto fresh = [&](const std::string& lines, bool needs_targets) {
    files.folder.write("new.txt", lines);
    FreshOptions options;
    options.files["path"] = (files.folder.path() / "new.txt").string();
    options.needs_targets = needs_targets;
    return load_fresh(located, options, 7);
  };
  const Fresh measured = fresh(text, true);
  CHECK(measured.dataset.inputs[0].numbers() == trained.inputs[0].numbers());
  CHECK(measured.dataset.targets.indices() == trained.targets.indices());
  CHECK(measured.dataset.test.size() == 4);
  CHECK(fresh("7 1:2 2:1\n", false).dataset.inputs[0].number(0, 1) == trained.inputs[0].number(0, 1));
  CHECK_THROWS_WITH(fresh("7 1:2 2:1\n", true), Contains("which no row of the training table has"));
  CHECK_THROWS_WITH(fresh("1 3:1\n", false), Contains("line 1 has the index 3, but the columns are 1 to 2"));
  const Json prepared = dataset::prepared(located, 7);
  CHECK(prepared["columns"].size() == 2);
  CHECK(prepared["columns"][1]["name"] == "2");
  CHECK(prepared["columns"][1]["fill"] == 0);
}

}  // namespace svmlight_test
