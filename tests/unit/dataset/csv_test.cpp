// SPDX-License-Identifier: Apache-2.0
// Tables: how text becomes cells, columns, inputs and targets.
#include <cmath>

#include "dataset/csv_reader.hpp"
#include "dataset/split.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace csv_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

using Cells = std::vector<std::string>;

Cells cells_of(const std::string& text, char delimiter = '\0') {
  const Table table = read_csv(text, "t.csv", delimiter);
  return {table.cells.begin(), table.cells.end()};
}

/// One table of text, loaded with all rows in the training split.
Dataset table_of(const DataFolder& folder, const std::string& text, const std::string& options = "") {
  folder.write("t.csv", text);
  const std::string data =
      R"({"op":"csv","path":"t.csv","target":"y","split":{"train":1,"val":0,"test":0})" + options + "}";
  return load(parse_json(data, "section"), folder.where(), 1);
}

/// Row `row` of the inputs.
std::vector<float> row_of(const Dataset& dataset, std::size_t row) {
  const auto width = static_cast<std::size_t>(dataset.schema.input()[0]);
  const std::vector<float> all = dataset.inputs[0].numbers();
  return {all.begin() + row * width, all.begin() + (row + 1) * width};
}

}  // namespace

TEST_CASE("cells are read as RFC 4180 says", "[dataset][csv]") {
  CHECK(cells_of("a,b\r\n1,2\r\n") == Cells{"a", "b", "1", "2"});
  CHECK(cells_of("a,b\n1,2") == Cells{"a", "b", "1", "2"});
  CHECK(cells_of("\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",x\n") == Cells{"a,b", "say \"hi\"", "two\nlines", "x"});
  CHECK(cells_of("\xef\xbb\xbf\"a\",b\n") == Cells{"a", "b"});
  CHECK(cells_of("a,,\n,,\n") == Cells{"a", "", "", "", "", ""});
  CHECK(cells_of("a, b ,\" c \"\n") == Cells{"a", "b", " c "});
  CHECK(cells_of("\n\na,b\n\n1,2\n\n") == Cells{"a", "b", "1", "2"});
  CHECK(cells_of("a\"b,c\n") == Cells{"a\"b", "c"});
  CHECK(cells_of("") == Cells{});
}

TEST_CASE("the delimiter is the most frequent of four in the first line", "[dataset][csv]") {
  CHECK(cells_of("a;b;c,d\n1;2;3\n") == Cells{"a", "b", "c,d", "1", "2", "3"});
  CHECK(cells_of("a\tb\n1\t\n") == Cells{"a", "b", "1", ""});
  CHECK(cells_of("a|b\n") == Cells{"a", "b"});
  CHECK(cells_of("a;b\n", ',') == Cells{"a;b"});
}

TEST_CASE("lines are counted through quotes and empty lines", "[dataset][csv]") {
  const Table table = read_csv("a,b\n\n\"x\ny\",1\nz,2\n", "t.csv", ',');
  CHECK(table.lines == std::vector<std::int64_t>{1, 3, 5});
}

TEST_CASE("numbers are standardised on the training rows", "[dataset][csv]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, "a,b,y\n1,7,p\n3,7,q\n5,7,p\n");
  const double deviation = std::sqrt(8.0 / 3);
  CHECK(row_of(d, 0)[0] == Approx(-2 / deviation));
  CHECK(row_of(d, 0)[1] == 0);
  CHECK(row_of(d, 1) == std::vector<float>{0, 0});
  CHECK(d.schema.features == Cells{"a", "b"});
  CHECK(d.targets.indices() == std::vector<std::int64_t>{0, 1, 0});
  CHECK(d.schema.class_names == Cells{"p", "q"});
}

TEST_CASE("validation and test rows are encoded by what the training rows say", "[dataset][csv]") {
  const DataFolder folder;
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i * i) + "," + std::to_string(i % 2) + "\n";
  folder.write("t.csv", text);
  const Dataset d = load(section(R"({"op":"csv","path":"t.csv","target":"y"})"), folder.where(), 3);
  double mean = 0, squares = 0;
  for (const std::int64_t row : d.train) mean += d.inputs[0].number(row) / double(d.train.size());
  for (const std::int64_t row : d.train)
    squares += d.inputs[0].number(row) * d.inputs[0].number(row) / double(d.train.size());
  CHECK(mean == Approx(0).margin(1e-6));
  CHECK(squares == Approx(1).margin(1e-5));
}

TEST_CASE("gaps, shifts and scales come from the training rows alone", "[dataset][csv][missing]") {
  const DataFolder folder;
  folder.write("t.csv", "a,k,part,y\n1,x,t,0\n3,x,t,1\n8,z,t,0\n,,t,1\n100,z,v,0\n,,v,1\n,z,e,0\n300,z,e,1\n");
  const auto load_with = [&](const std::string& more) {
    const std::string text = R"({"op":"csv","path":"t.csv","target":"y","drop":["part"],"split":{"column":"part",)"
                             R"("train":["t"],"val":["v"],"test":["e"]},"impute_category":"most_frequent")";
    return load(section((text + more + "}").c_str()), folder.where(), 3);
  };
  const Dataset plain = load_with(R"(,"standardise":false)");
  for (const std::int64_t gap : {3, 5, 6}) CHECK(plain.inputs[0].number(gap, 0) == 4);  // of 1, 3 and 8
  for (const std::int64_t gap : {3, 5}) CHECK(plain.inputs[0].number(gap, 1) == 1);     // x, though most rows are z
  const Dataset median = load_with(R"(,"standardise":false,"impute":"median")");
  for (const std::int64_t gap : {3, 5, 6}) CHECK(median.inputs[0].number(gap, 0) == 3);
  const Dataset standard = load_with("");  // of 1, 3, 8 and the filled 4: mean 4, variance 26 / 4
  CHECK(standard.inputs[0].number(0, 0) == Approx(-3 / std::sqrt(6.5)));
  CHECK(standard.inputs[0].number(4, 0) == Approx(96 / std::sqrt(6.5)));
  const Dataset held = load_with(R"(,"standardise":false,"replace":{"a":"mean","k":"mean"})");
  for (std::int64_t row = 0; row < 8; ++row) {
    CHECK(held.inputs[0].number(row, 0) == 4);
    CHECK(held.inputs[0].number(row, 1) == 1);
  }
}

TEST_CASE("scale divides and leaves standardising out", "[dataset][csv]") {
  const DataFolder folder;
  CHECK(row_of(table_of(folder, "a,y\n8,p\n4,q\n", R"(,"scale":16)"), 0) == std::vector<float>{0.5});
  CHECK(row_of(table_of(folder, "a,y\n8,p\n4,q\n", R"(,"scale":16,"standardise":true)"), 0) == std::vector<float>{1});
  CHECK(row_of(table_of(folder, "a,y\n8,p\n4,q\n", R"(,"standardise":false)"), 1) == std::vector<float>{4});
}

// Training rows of size are 10, 20 and 60: mean 30, variance 1400 / 3; of cost -2, 0 and 2: mean 0, variance 8 / 3.
TEST_CASE("numbers as targets are standardised by the training rows", "[dataset][csv]") {
  const DataFolder folder;
  folder.write("t.csv", "a,size,cost,kind,part\n1,10,-2,x,t\n2,20,0,y,t\n3,60,2,x,t\n4,100,4,y,v\n5,30,0,x,e\n");
  const auto load_with = [&](const std::string& target, const std::string& more) {
    const std::string text = R"({"op":"csv","path":"t.csv","drop":["part"],"split":{"column":"part",)"
                             R"("train":["t"],"val":["v"],"test":["e"]},"target":)";
    return load(section((text + target + more + "}").c_str()), folder.where(), 3);
  };
  const std::string standardised = R"(,"standardise_targets":true)";
  const Dataset two = load_with(R"(["size","cost"])", standardised);
  const double size = std::sqrt(1400.0 / 3), cost = std::sqrt(8.0 / 3);
  CHECK(two.targets.number(0, 0) == Approx(-20 / size));
  CHECK(two.targets.number(3, 0) == Approx(70 / size));
  CHECK(two.targets.number(3, 1) == Approx(4 / cost));
  REQUIRE(two.schema.unit.scale.size() == 2);
  CHECK(two.schema.unit.shift == std::vector<double>{30, 0});
  CHECK(two.schema.unit.scale[1] == Approx(cost));
  const Dataset plain = load_with(R"(["size","cost"])", R"(,"standardise_targets":false)");
  CHECK(plain.targets.number(3, 0) == 100);
  CHECK(plain.schema.unit.empty());
  CHECK(load_with(R"(["size","cost"])", "").schema.sha256 != two.schema.sha256);
  const Dataset named =
      load_with(R"({"sort":"kind","size":"size"})", standardised + R"(,"task":{"size":"regression"})");
  CHECK(seen_by(named.schema, "sort").unit.empty());
  CHECK(seen_by(named.schema, "size").unit.shift == std::vector<double>{30});
  CHECK_THROWS_WITH(load_with(R"("kind")", standardised),
                    Catch::Matchers::Contains("has no effect: what is predicted is a class"));
}

TEST_CASE("missing numbers", "[dataset][csv][missing]") {
  const DataFolder folder;
  const std::string text = "a,y\n1,p\nNA,q\n2,p\n9,q\n";
  const auto filled = [&](const std::string& options) {
    return row_of(table_of(folder, text, R"(,"standardise":false)" + options), 1);
  };
  CHECK(filled("") == std::vector<float>{4});
  CHECK(filled(R"(,"impute":"median")") == std::vector<float>{2});
  const Dataset even = table_of(folder, text + "4,p\n", R"(,"standardise":false,"impute":"median")");
  CHECK(row_of(even, 1) == std::vector<float>{3});  // of 1, 2, 4 and 9
  CHECK(filled(R"(,"impute":-1)") == std::vector<float>{-1});
  CHECK(filled(R"(,"indicator":true)") == std::vector<float>{4, 1});
}

TEST_CASE("missing categories", "[dataset][csv][missing]") {
  const DataFolder folder;
  const std::string text = "a,y\nred,p\n,q\nblue,p\nred,q\n";
  const Dataset own = table_of(folder, text);
  CHECK(own.schema.features == Cells{"a=blue", "a=red", "a=(missing)"});
  CHECK(own.schema.columns == Cells{"a", "a", "a"});
  CHECK(row_of(own, 0) == std::vector<float>{0, 1, 0});
  CHECK(row_of(own, 1) == std::vector<float>{0, 0, 1});
  const Dataset frequent = table_of(folder, text, R"(,"impute_category":"most_frequent")");
  CHECK(frequent.schema.features == Cells{"a=blue", "a=red"});
  CHECK(row_of(frequent, 1) == std::vector<float>{0, 1});
  const Dataset tied = table_of(folder, "a,y\nred,p\n,q\nblue,p\n", R"(,"impute_category":"most_frequent")");
  CHECK(row_of(tied, 1) == std::vector<float>{1, 0});  // the first of equals, as scikit-learn's SimpleImputer
}

TEST_CASE("numbers can be categories, sorted by value", "[dataset][csv]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, "a,y\n10,p\n9,q\n10,p\n", R"(,"categorical":"a")");
  CHECK(d.schema.features == Cells{"a=9", "a=10"});
  CHECK(row_of(d, 0) == std::vector<float>{0, 1});
}

TEST_CASE("header, features, drop and target by number", "[dataset][csv]") {
  const DataFolder folder;
  folder.write("t.csv", "1,2,3,0\n4,5,6,1\n7,8,9,1\n");
  const auto features = [&](const char* options) {
    const std::string text =
        R"({"op":"csv","path":"t.csv","split":{"train":1,"val":0,"test":0},)" + std::string(options) + "}";
    return load(parse_json(text, "s"), folder.where(), 1).schema.features;
  };
  CHECK(features(R"("target":-1)") == Cells{"c0", "c1", "c2"});
  CHECK(features(R"("target":3,"drop":[0])") == Cells{"c1", "c2"});
  CHECK(features(R"("target":"c3","features":["c2","c0"])") == Cells{"c0", "c2"});
  CHECK(features(R"("target":-4,"header":false)") == Cells{"c1", "c2", "c3"});
}

TEST_CASE("the task follows the target", "[dataset][csv]") {
  const DataFolder folder;
  const auto counted = [](int rows) {
    std::string text = "a,y\n";
    for (int i = 0; i < rows; ++i) text += "1," + std::to_string(i) + "\n";
    return text;
  };
  const std::string many = counted(30);
  CHECK(table_of(folder, "a,y\n1,x\n2,z\n").schema.classes == 2);
  CHECK(table_of(folder, "a,y\n1,0\n2,1\n3,1\n").schema.classes == 2);
  CHECK(table_of(folder, "a,y\n1,0.5\n2,1\n").schema.classes == 0);
  CHECK(table_of(folder, counted(20)).schema.classes == 20);
  CHECK(table_of(folder, counted(21)).schema.classes == 0);
  CHECK(table_of(folder, many).schema.classes == 0);
  CHECK(table_of(folder, many, R"(,"task":"classification")").schema.classes == 30);
  const Dataset regression = table_of(folder, "a,y\n1,0\n2,1\n", R"(,"task":"regression")");
  CHECK(regression.schema.classes == 0);
  CHECK(regression.targets.numbers() == std::vector<float>{0, 1});
}

TEST_CASE("whole numbers of one value are one class, however they are spelled", "[dataset][csv]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, "x,y\n1,0\n2,1.0\n3,+1\n4,0.0\n5,1\n6,2.0\n");
  CHECK(d.schema.class_names == Cells{"0", "1", "2.0"});
  CHECK(d.targets.indices() == std::vector<std::int64_t>{0, 1, 1, 0, 1, 2});
  const Dataset named = table_of(folder, "x,y\n1,0\n2,1.0\n3,1\n4,0.0\n", R"(,"task":"classification")");
  CHECK(named.schema.class_names == Cells{"0", "0.0", "1", "1.0"});
}

TEST_CASE("a regression may have several targets", "[dataset][csv]") {
  const DataFolder folder;
  const Dataset d = table_of(folder, "a,y,z\n1,2,3\n4,5,6\n", R"(,"target":["y","z"])");
  CHECK(d.schema.targets == 2);
  CHECK(d.targets.numbers() == std::vector<float>{2, 3, 5, 6});
}

TEST_CASE("the same table packed gives the same inputs, under another hash", "[dataset][csv][gzip]") {
  const DataFolder folder;
  const std::string text = "a,y\n1,p\n2,q\n3,p\n";
  const Dataset plain = table_of(folder, text);
  const Dataset packed = table_of(folder, gzipped(text));
  const Dataset halves = table_of(folder, gzipped(text.substr(0, 7)) + gzipped(text.substr(7)));
  CHECK(plain.inputs[0].numbers() == packed.inputs[0].numbers());
  CHECK(plain.inputs[0].numbers() == halves.inputs[0].numbers());
  CHECK(plain.schema.sha256 != packed.schema.sha256);
}

TEST_CASE("the hash covers content and section, not the place", "[dataset][hash]") {
  const DataFolder folder;
  const std::string text = "a,y\n1,p\n2,q\n";
  const std::string hash = table_of(folder, text).schema.sha256;
  CHECK(hash.size() == 64);
  CHECK(table_of(folder, text, R"(,"standardise":"auto","path":"./t.csv")").schema.sha256 == hash);
  CHECK(table_of(folder, text + "3,p\n").schema.sha256 != hash);
  CHECK(table_of(folder, text, R"(,"scale":2)").schema.sha256 != hash);
}

TEST_CASE("the type of a column may be declared", "[dataset][csv]") {
  const DataFolder folder;
  const std::string text = "zip,age,y\n1,20,p\n2,30,q\n1,40,p\n";
  const Dataset d = table_of(folder, text, R"(,"types":{"zip":"category","age":"number"})");
  CHECK(d.schema.features == std::vector<std::string>{"zip=1", "zip=2", "age"});
  const auto fault_of = [&](const std::string& table, const std::string& types) -> std::string {
    try {
      table_of(folder, table, R"(,"types":)" + types);
    } catch (const DataError& fault) {
      return fault.path() + ": " + fault.what();
    }
    return "no fault";
  };
  // Mostly texts would be a category without the declaration.
  CHECK_THAT(fault_of("age,y\n1,p\nold,q\nolder,p\n", R"({"age":"number"})"),
             Contains("types.age: column 'age' is declared a number, but line 3 says \"old\""));
  CHECK_THAT(fault_of(text, R"({"age":"data"})"), Contains("types.age: there is no type \"data\""));
  CHECK_THAT(fault_of(text, R"({"agee":"number"})"), Contains("there is no column 'agee'"));
  CHECK_THAT(fault_of(text, R"({"y":"category"})"), Contains("no feature"));
}

}  // namespace csv_test
