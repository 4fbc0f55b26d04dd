// SPDX-License-Identifier: Apache-2.0
// Bad tables and bad sections: which file and line, and what would be right.
#include "files.hpp"
#include "support/catch.hpp"

namespace faults_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

/// "place in the section [file:line] message (hint)" of the fault that loading `text` ends with.
std::string fault_of(const std::string& text, const std::string& options = "") {
  const DataFolder folder;
  folder.write("t.csv", text);
  const std::string target = options.find("\"target\"") == std::string::npos ? R"("target":"y",)" : "";
  const std::string data = "{" + target + R"("op":"csv","path":"t.csv")" + options + "}";
  try {
    load(parse_json(data, "section"), folder.where(), 1);
  } catch (const DataError& fault) {
    const std::string name = std::filesystem::path(fault.place()).filename().string();
    return fault.path() + " [" + name + "] " + fault.what() + " (" + fault.hint() + ")";
  }
  return "no fault";
}

/// Rows enough for three splits.
std::string rows_of(const std::string& header, const std::string& row, int count = 20) {
  std::string text = header + "\n";
  for (int i = 0; i < count; ++i) text += row + (i % 2 == 0 ? ",p\n" : ",q\n");
  return text;
}

}  // namespace

TEST_CASE("text that is no table", "[dataset][faults]") {
  CHECK_THAT(fault_of(""), Contains("t.csv' is empty"));
  CHECK_THAT(fault_of("\n\n"), Contains("t.csv' has no rows"));
  CHECK_THAT(fault_of("a,y\n"), Contains("t.csv' has a header, but no rows"));
  CHECK(fault_of("a,y\n1,p\n2\n3,q\n") ==
        "path [t.csv:3] line 3 has 1 cells, but line 1 has 2 (every row needs the same number; a cell with a delimiter "
        "in it "
        "needs quotes)");
  CHECK(fault_of("a,y\n1,p\n\"2,q\n") == "path [t.csv:3] the quote opened in line 3 is never closed ()");
  CHECK(fault_of("a,y\n1,\"p\"x\n") ==
        "path [t.csv:2] line 2 has text behind a closing quote (inside quotes, a quote is written twice)");
  CHECK(fault_of(std::string("a,y\n1\0,p\n", 9)) ==
        "path [t.csv:2] line 2 has a zero byte: this is no text (is it another format, or UTF-16?)");
}

// Such a table, as spreadsheets write it in much of Europe, was read as categories.
TEST_CASE("numbers with decimal commas", "[dataset][faults]") {
  CHECK(
      fault_of("a;b;y\n1,5;1;p\n2,25;2;q\n") ==
      "path [t.csv:2] column 'a' has numbers with decimal commas: line 2 says \"1,5\" (write points, 1.5; if they are "
      "names, `categorical: [a]`)");
  CHECK_THAT(fault_of("a;y\n1;p\n2;q\n1.234,5;p\n"), Contains("[t.csv:4]") && Contains("decimal commas"));
  CHECK_THAT(fault_of(rows_of("a,y", "\"-0,5\"")), Contains("column 'a' has numbers with decimal commas"));
  CHECK_THAT(fault_of("a;y\n1;0,5\n2;0,25\n"), Contains("column 'y' has numbers with decimal commas"));
  CHECK_THAT(fault_of("1,5;2,5;0\n2,5;1,5;1\n", R"(,"header":false,"target":2)"), Contains("column 'c0' has numbers"));
  CHECK(fault_of(rows_of("a,y", "\"1,5\""), R"(,"categorical":["a"])") == "no fault");
  CHECK(fault_of("a;y\n1,5;p\n2,x;q\n1,5;p\n2,x;q\n1,5;p\n2,x;q\n1,5;p\n2,x;q\n1,5;p\n2,x;q\n1,5;p\n2,x;q\n") ==
        "no fault");
}

TEST_CASE("columns that are not there, or twice", "[dataset][faults]") {
  CHECK_THAT(fault_of("a,survived\n1,p\n", R"(,"target":"survivd")"),
             Contains("target [] there is no column 'survivd' in") && Contains("(did you mean 'survived'?)"));
  CHECK_THAT(fault_of("a,b\n1,p\n", R"(,"target":"survived")"), Contains("(there are a, b)"));
  CHECK_THAT(fault_of("a,y\n1,p\n", R"(,"drop":["agge"])"), Contains("drop [] there is no column 'agge'"));
  CHECK(fault_of("a,y\n1,p\n", R"(,"target":2)") ==
        "target [] there is no column 2, the file has 2 (-2 to 1, or a name)");
  CHECK_THAT(fault_of("a,a,y\n1,2,p\n"), Contains("two columns are named 'a' (rename one in the header)"));
  CHECK_THAT(fault_of("a,,y\n1,2,p\n", R"(,"header":true)"),
             Contains("column 1 has no name (name it in the header, or say `header: false`)"));
  CHECK_THAT(fault_of("\xff\xfe,y\n1,p\n"),
             Contains("the name of column 0 is not valid UTF-8 (save the file as UTF-8)"));
  CHECK_THAT(fault_of("a,y\n1,p\n", R"(,"features":["a","y"])"),
             Contains("features [] column 'y' is a feature and the target"));
  CHECK_THAT(fault_of("a,y\n1,p\n", R"(,"drop":["a"])"), Contains("features [t.csv] no column is left as an input"));
}

TEST_CASE("cells that do not fit their column", "[dataset][faults]") {
  CHECK(fault_of("a,y\n1,p\n2,q\nabc,p\n") ==
        "path [t.csv:4] column 'a' has 2 numbers, but line 4 says \"abc\" (correct it, list it in `missing`, or "
        "`categorical: "
        "[a]`, or `drop: [a]`)");
  CHECK_THAT(fault_of("a,y\n1,p\n2,q\ninf,p\n"),
             Contains("[t.csv:4] column 'a' has 2 numbers, but line 4 says \"inf\""));
  CHECK_THAT(fault_of("a,y\n1,p\n2,q\nnan,p\n", R"(,"missing":[""])"), Contains("line 4 says \"nan\""));
  CHECK_THAT(fault_of("a,y\n1,p\n2,q\n1e999,p\n"), Contains("line 4 says \"1e999\""));
  CHECK_THAT(fault_of(rows_of("a,y", "1e300"), R"(,"standardise":false)"),
             Contains("column 'a' has a number in line 2 that float32 cannot hold"));
  CHECK_THAT(fault_of("a,b,y\n,1,p\nNA,2,q\n"), Contains("column 'a' has no value at all (`drop: [a]`)"));
  CHECK_THAT(fault_of("a,y\nx\xff,p\nz,q\n"), Contains("a category of column 'a' is not valid UTF-8"));
}

TEST_CASE("a column of names is no category", "[dataset][faults]") {
  std::string text = "who,y\n";
  for (int i = 0; i < 200; ++i) text += "person" + std::to_string(i) + (i % 2 == 0 ? ",p\n" : ",q\n");
  CHECK_THAT(fault_of(text), Contains("column 'who' has more than 100 different texts: a name, not a category (`drop: "
                                      "[who]`, or raise `most_categories`)"));
  CHECK(fault_of(text, R"(,"most_categories":200)") == "no fault");
}

TEST_CASE("targets that cannot be learned", "[dataset][faults]") {
  CHECK(fault_of("a,y\n1,p\n2,\n3,q\n") ==
        "target [t.csv] the target 'y' is missing in 1 rows (remove those rows from the file)");
  CHECK(fault_of("a,y\n1,p\n2,p\n") ==
        "target [] the target 'y' is the same in every row (there is nothing to predict)");
  CHECK(fault_of("a,y\n1,p\n2,q\n", R"(,"task":"regression")") ==
        "target [] the target 'y' is text, which no regression can predict (`task: classification`)");
  CHECK(fault_of("a,y,z\n1,p,r\n2,q,s\n", R"(,"target":["y","z"])") ==
        "target [] the target 'y' is text, and there are 2 targets (a classification has one target column, a "
        "regression numbers)");
}

TEST_CASE("splits that cannot be", "[dataset][faults]") {
  CHECK(fault_of(rows_of("a,y", "1"), R"(,"split":{"train":0.5,"val":0.1,"test":0.1})") ==
        "split [] the shares 0.5 + 0.1 + 0.1 make 0.7 (together they must be 1)");
  CHECK(fault_of(rows_of("a,y", "1"), R"(,"split":{"train":0,"val":0.5,"test":0.5})") ==
        "split [] the training split is empty: there are 20 rows (give `train` a larger share)");
  CHECK_THAT(fault_of(rows_of("a,y", "1", 20) + "2,rare\n", R"(,"split":{"train":0.3,"val":0.3,"test":0.4})"),
             Contains("class 'rare' has no example in the training split (1 in all)"));
}

TEST_CASE("sections that say what is not", "[dataset][faults]") {
  const auto faults = [](const char* text) {
    std::vector<DataError> all;
    normalised(parse_json(text, "section"), &all);
    std::vector<std::string> lines;
    for (const DataError& fault : all) lines.push_back(fault.path() + ": " + fault.what() + " (" + fault.hint() + ")");
    return lines;
  };
  using Lines = std::vector<std::string>;
  CHECK(faults("{}") ==
        Lines{": the data section needs 'op', its kind (e.g. data: {op: csv, path: table.csv, target: -1})"});
  CHECK(faults(R"({"op":"cvs"})") == Lines{"op: there is no data kind \"cvs\" (did you mean 'csv'?)"});
  CHECK(faults(R"({"op":"csv","path":"t","target":-1,"delimeter":";"})") ==
        Lines{"delimeter: the data section has no 'delimeter' (did you mean 'delimiter'?)"});
  CHECK(faults(R"({"op":"csv","path":"t"})") == Lines{": the data section needs 'target' (target: what is predicted: a "
                                                      "column by name or number (-1: the last), several "
                                                      "for a regression; or a map of several targets, {species: 4, "
                                                      "size: [5, 6]})"});
  CHECK(faults(R"({"op":"csv","path":3,"target":-1,"impute":"means","split":{"train":2,"vall":1}})") ==
        Lines{"path: 'path' must be a text, but is 3 ()",
              "impute: 'impute' must be a number, or one of mean, median, but is \"means\" (did you mean 'mean'?)",
              "split.vall: the data section has no 'split.vall' (did you mean 'val'?)",
              "split.train: 'train' must be a number from 0 to 1, but is 2 ()"});
}

TEST_CASE("a fault of a key's name is about the key, others are about the value", "[dataset][faults]") {
  std::vector<DataError> all;
  normalised(parse_json(R"({"op":"csv","path":3,"target":-1,"delimeter":";"})", "section"), &all);
  REQUIRE(all.size() == 2);
  CHECK(all[0].part() == Part::value);
  CHECK(all[1].part() == Part::key);
}

TEST_CASE("a delimiter that is none", "[dataset][faults]") {
  CHECK(fault_of("a,y\n1,p\n", R"(,"delimiter":"::")") ==
        "delimiter [] \"::\" is no delimiter (one character, tab, or auto)");
}

TEST_CASE("packed files that are damaged", "[dataset][faults][gzip]") {
  const std::string good = gzipped(rows_of("a,y", "1", 200));
  CHECK_THAT(fault_of(good.substr(0, good.size() / 2)),
             Contains("is cut off: its gzip data ends too early (fetch it again)"));
  CHECK_THAT(fault_of(good.substr(0, 5)), Contains("is cut off"));
  CHECK_THAT(fault_of(good + "tail"), Contains("has 4 bytes behind its gzip data"));
  std::string wrong = good;
  wrong[wrong.size() - 6] ^= 1;
  CHECK_THAT(fault_of(wrong), Contains("is damaged: its gzip data or checksum is wrong"));
}

TEST_CASE("a file that is missing: where it was looked for, where to put it", "[dataset][faults]") {
  const DataFolder folder;
  try {
    load(section(R"({"op":"csv","path":"data/t.csv","target":-1})"),
         {{folder.path() / "study", folder.path() / "mine"}}, 1);
    FAIL("no error");
  } catch (const DataError& fault) {
    CHECK(fault.path() == "path");
    CHECK_THAT(fault.what(), Contains("there is no data file 'data/t.csv'") &&
                                 Contains((folder.path() / "study/data/t.csv").string()) &&
                                 Contains((folder.path() / "mine/data/t.csv").string()) &&
                                 Contains((folder.path() / "mine/t.csv").string()));
    CHECK_THAT(fault.hint(), Contains("--data DIR") && Contains("DLRUN_DATA"));
    CHECK_THAT(fault.brief(),
               Contains("looked for " + (folder.path() / "study/data/t.csv").string() + ", ") && !Contains("\n"));
  }
}

TEST_CASE("a folder where a file should be", "[dataset][faults]") {
  const DataFolder folder;
  std::filesystem::create_directory(folder.path() / "t.csv");
  CHECK_THROWS_WITH(load(section(R"({"op":"csv","path":"t.csv","target":-1})"), folder.where(), 1),
                    Contains("is a folder, not a file"));
}

TEST_CASE("the user's folder is looked into, by path and by name", "[dataset][locate]") {
  const DataFolder folder;
  folder.write("mine/t.csv", "a,y\n1,p\n2,q\n3,p\n4,q\n5,p\n6,q\n7,p\n8,q\n");
  const Locations where{{folder.path() / "study", folder.path() / "mine"}};
  const Json data = section(R"({"op":"csv","path":"data/t.csv","target":"y"})");
  CHECK(load(data, where, 1).schema.classes == 2);
  const Json fixed = located(data, where);
  CHECK(fixed["path"] == (folder.path() / "mine/t.csv").string());
  CHECK(load(fixed, {}, 1).schema.sha256 == load(data, where, 1).schema.sha256);
}

}  // namespace faults_test
