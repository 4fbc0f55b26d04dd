// SPDX-License-Identifier: Apache-2.0
// op: csv with tables of its own for val and test, and columns of dates.
#include <algorithm>

#include "files.hpp"
#include "support/catch.hpp"

namespace csv_tables_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

const char* const kTrain =
    "size,kind,y\n1,a,no\n2,b,yes\n3,a,no\n4,b,yes\n5,a,no\n6,b,yes\n7,a,no\n8,b,yes\n9,a,no\n10,b,yes\n";

struct Files {
  Files() { folder.write("train.csv", kTrain); }

  Dataset load(const std::string& more) const {
    return dataset::load(section((R"({"op":"csv","path":"train.csv","target":"y")" + more + "}").c_str()),
                         folder.where(), 7);
  }
  DataError fault(const std::string& more) const {
    try {
      load(more);
    } catch (const DataError& found) {
      return found;
    }
    FAIL("no fault");
    return {"", ""};
  }

  DataFolder folder;
};

const std::string kTest = R"(,"test":"test.csv")";

}  // namespace

TEST_CASE("a class that is a number may be spelled otherwise in a table of its own", "[dataset][csv]") {
  const Files files;
  files.folder.write("train.csv", "size,kind,y\n1,a,0\n2,b,1\n3,a,0\n4,b,1\n5,a,0\n6,b,1\n7,a,0\n8,b,1\n");
  files.folder.write("test.csv", "size,kind,y\n1,b,0.0\n2,a,1.0\n3,a,1\n");
  const Dataset dataset = files.load(kTest + R"(,"split":{"val":0.25})");
  CHECK(dataset.schema.class_names == std::vector<std::string>{"0", "1"});
  CHECK(dataset.targets.index(8) == 0);
  CHECK(dataset.targets.index(9) == 1);
  files.folder.write("test.csv", "size,kind,y\n1,b,0.5\n");
  CHECK_THAT(files.fault(kTest + R"(,"split":{"val":0.25})").what(),
             Contains("which no row of the training table has"));
}

TEST_CASE("a table of its own is the test split", "[dataset][csv]") {
  const Files files;
  files.folder.write("test.csv", "size,kind,y\n1000,b,no\n2000,a,yes\n");
  const Dataset dataset = files.load(kTest + R"(,"split":{"val":0.2})");
  CHECK(dataset.schema.train == 8);
  CHECK(dataset.schema.val == 2);
  CHECK(dataset.test == std::vector<std::int64_t>{10, 11});
  CHECK(dataset.targets.index(10) == 0);
  CHECK(dataset.targets.index(11) == 1);
  SECTION("what is measured is measured on the training rows") {
    double sum = 0;
    for (const std::int64_t row : dataset.train) sum += dataset.inputs[0].number(row, 0);
    CHECK(sum == Approx(0).margin(1e-5));
    CHECK(dataset.inputs[0].number(10, 0) > 100);
  }
  SECTION("nothing of the other rows changes with it") {
    files.folder.write("test.csv", "size,kind,y\n-5,b,no\n-6,b,yes\n");
    const Dataset other = files.load(kTest + R"(,"split":{"val":0.2})");
    for (std::int64_t row = 0; row < 10; ++row) CHECK(other.inputs[0].number(row) == dataset.inputs[0].number(row));
    CHECK(other.schema.sha256 != dataset.schema.sha256);
  }
}

TEST_CASE("a validation table leaves nothing to draw", "[dataset][csv]") {
  const Files files;
  files.folder.write("val.csv", "kind,y,size\nb,yes,3\n");  // another order of columns
  files.folder.write("test.csv", "size,kind,y\n4,a,no\n");
  const std::string both = R"(,"val":"val.csv","test":"test.csv")";
  const Dataset dataset = files.load(both);
  CHECK(dataset.schema.train == 10);
  CHECK(dataset.val == std::vector<std::int64_t>{10});
  CHECK(dataset.test == std::vector<std::int64_t>{11});
  CHECK(dataset.inputs[0].number(10, 0) == dataset.inputs[0].number(2, 0));
  CHECK(dataset.inputs[0].number(11, 0) == dataset.inputs[0].number(3, 0));
  SECTION("which of the two a file is counts") {
    const Dataset val = files.load(R"(,"val":"val.csv")");
    const Dataset test = files.load(R"(,"test":"val.csv")");
    CHECK(val.schema.sha256 != test.schema.sha256);
  }
  SECTION("a share is refused") {
    const DataError fault = files.fault(both + R"(,"split":{"val":0.2})");
    CHECK_THAT(fault.what(), Contains("'val' has no effect: the files themselves give the validation split"));
    CHECK(fault.path() == "split.val");
  }
}

TEST_CASE("groups are kept together beside a test table", "[dataset][csv]") {
  const Files files;
  files.folder.write("train.csv", "size,kind,y\n1,a,no\n2,b,yes\n3,a,yes\n4,b,no\n5,a,no\n6,b,yes\n7,a,yes\n8,b,no\n");
  files.folder.write("test.csv", "size,kind,y\n1,a,no\n");
  const Dataset dataset = files.load(kTest + R"(,"split":{"val":0.5,"group":"kind"})");
  CHECK(dataset.schema.train == 4);
  CHECK(dataset.schema.val == 4);
  CHECK(dataset.schema.test == 1);
  CHECK_THAT(files.fault(kTest + R"(,"split":{"column":"kind","train":["a"]})").what(),
             Contains("'column' has no effect: the files themselves give the test split"));
}

TEST_CASE("what only the test table has", "[dataset][csv]") {
  const Files files;
  SECTION("a category is refused with its line, or all 0") {
    files.folder.write("test.csv", "size,kind,y\n1,a,no\n2,z,yes\n");
    const DataError fault = files.fault(kTest);
    CHECK_THAT(fault.what(), Contains(R"(column 'kind' has "z" in line 3)"));
    CHECK_THAT(fault.place(), Contains("test.csv:3"));
    CHECK_THAT(fault.hint(), Contains("unseen: zero"));
    const Dataset dataset = files.load(kTest + R"(,"unseen":"zero")");
    CHECK(dataset.schema.features == std::vector<std::string>{"size", "kind=a", "kind=b"});
    CHECK(dataset.inputs[0].number(11, 1) == 0);
    CHECK(dataset.inputs[0].number(11, 2) == 0);
    CHECK(dataset.inputs[0].number(10, 1) == 1);
  }
  SECTION("a missing category is one too, unless it is filled in") {
    files.folder.write("test.csv", "size,kind,y\n1,,no\n");
    CHECK_THAT(files.fault(kTest).what(), Contains("column 'kind' has no value in line 2"));
    files.folder.write("train.csv", "size,kind,y\n1,b,no\n2,b,yes\n3,a,no\n4,b,yes\n5,b,no\n6,a,yes\n");
    files.folder.write("test.csv", "size,kind,y\n1,,no\n2,a,no\n3,a,no\n4,a,yes\n5,a,yes\n");
    const Dataset dataset = files.load(kTest + R"(,"impute_category":"most_frequent","split":{"val":0})");
    CHECK(dataset.inputs[0].number(6, 1) == 0);  // a is the most frequent of the test rows only
    CHECK(dataset.inputs[0].number(6, 2) == 1);
  }
  SECTION("a missing number is filled in as of the training rows") {
    files.folder.write("test.csv", "size,kind,y\n,a,no\n");
    CHECK(files.load(kTest).inputs[0].number(10, 0) == Approx(0).margin(1e-6));
  }
  SECTION("a class is refused") {
    files.folder.write("test.csv", "size,kind,y\n1,a,maybe\n");
    CHECK_THAT(files.fault(kTest + R"(,"unseen":"zero")").what(), Contains(R"(column 'y' has "maybe" in line 2)"));
  }
  SECTION("a text among numbers is refused") {
    files.folder.write("test.csv", "size,kind,y\nlarge,a,no\n");
    const DataError fault = files.fault(kTest);
    CHECK_THAT(fault.what(), Contains("column 'size' holds numbers, but line 2"));
    CHECK(fault.path() == "test");
  }
  SECTION("a target without value is refused") {
    files.folder.write("test.csv", "size,kind,y\n1,a,\n");
    CHECK_THAT(files.fault(kTest).what(), Contains("column 'y' has no value in line 2"));
    files.folder.write("train.csv", "size,kind,y\n1,a,0.5\n2,b,0.25\n3,a,1.5\n4,b,2.5\n5,a,3.5\n6,b,4.5\n");
    CHECK_THAT(files.fault(kTest).what(), Contains("the target 'y' is missing in line 2"));
  }
  SECTION("a column is refused, and so is one that it lacks") {
    files.folder.write("test.csv", "size,kind,y,more\n1,a,no,1\n");
    CHECK_THAT(files.fault(kTest).what(), Contains("has no column 'more'"));
    files.folder.write("test.csv", "size,kid,y\n1,a,no\n");
    const DataError fault = files.fault(kTest);
    CHECK_THAT(fault.what(), Contains("has no column 'kind'"));
    CHECK_THAT(fault.hint(), Contains("did you mean 'kid'?"));
  }
  SECTION("a table alone leaves 'unseen' without effect") {
    CHECK_THAT(files.fault(R"(,"unseen":"zero")").what(), Contains("'unseen' has no effect"));
  }
}

TEST_CASE("a declared date is a number of days", "[dataset][csv]") {
  const DataFolder folder;
  std::string text = "when,y\n";
  for (int day = 1; day <= 20; ++day)
    text += "2026-01-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + (day % 2 == 0 ? ",a\n" : ",b\n");
  folder.write("t.csv", text);
  const auto load_with = [&](const std::string& more) {
    return load(section((R"({"op":"csv","path":"t.csv","target":"y","types":{"when":"date"})" + more + "}").c_str()),
                folder.where(), 7);
  };
  SECTION("whose step is one a day") {
    const Dataset dataset = load_with(R"(,"standardise":false)");
    CHECK(dataset.schema.features == std::vector<std::string>{"when"});
    CHECK(dataset.inputs[0].number(0) == 20454);
    CHECK(dataset.inputs[0].number(19) == 20473);
  }
  SECTION("which is standardised as every number") {
    const Dataset dataset = load_with("");
    double sum = 0;
    for (const std::int64_t row : dataset.train) sum += dataset.inputs[0].number(row);
    CHECK(sum == Approx(0).margin(1e-5));
  }
  SECTION("and anything else is a fault with its line") {
    folder.write("t.csv", text + "2026-02-30,a\n");
    try {
      load_with("");
      FAIL("no fault");
    } catch (const DataError& fault) {
      CHECK_THAT(fault.what(), Contains(R"(column 'when' is declared a date, but line 22 says "2026-02-30")"));
      CHECK_THAT(fault.place(), Contains("t.csv:22"));
      CHECK(fault.path() == "types.when");
    }
  }
}

}  // namespace csv_tables_test
