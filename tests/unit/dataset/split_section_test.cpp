// SPDX-License-Identifier: Apache-2.0
// The `split:` map: by fraction, column, group, time and fold; what cannot stand together and what is empty.
#include <algorithm>
#include <map>
#include <set>

#include "files.hpp"
#include "support/catch.hpp"

namespace split_section_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

using Numbers = std::vector<std::int64_t>;

/// 60 rows: x, a class with shares 2:1, a set, one of 12 patients of different size, a day of three rows each.
std::string table() {
  std::string text = "x,y,set,patient,day\n";
  for (int i = 0; i < 60; ++i) {
    const char* set = i % 10 < 6 ? "learn" : i % 10 < 8 ? "tune" : "final";
    text += std::to_string(i) + (i % 3 == 0 ? ",p," : ",q,") + set + ",id" + std::to_string(i * i % 31 % 12) +
            ",2026-01-" + std::to_string(10 + (59 - i) / 3) + "\n";
  }
  return text;
}

Dataset split_by(const std::string& split, std::uint64_t seed = 7, const std::string& text = table()) {
  const DataFolder folder;
  folder.write("t.csv", text);
  return load(
      section(
          (R"({"op":"csv","path":"t.csv","target":"y","drop":["set","patient","day"],"split":)" + split + "}").c_str()),
      folder.where(), seed);
}

/// "place: message (hint)" of the fault.
std::string fault_of(const std::string& split, const std::string& text = table()) {
  try {
    split_by(split, 7, text);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " (" + fault.hint() + ")";
  }
  return "no fault";
}

/// Every row once, in ascending order.
void check_whole(const Dataset& d) {
  Numbers all;
  for (const Numbers* part : {&d.train, &d.val, &d.test}) {
    CHECK(std::is_sorted(part->begin(), part->end()));
    all.insert(all.end(), part->begin(), part->end());
  }
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() == 60);
  for (std::int64_t i = 0; i < 60; ++i) CHECK(all[std::size_t(i)] == i);
}

std::set<std::int64_t> patients(const Numbers& rows) {
  std::set<std::int64_t> ids;
  for (const std::int64_t i : rows) ids.insert(i * i % 31 % 12);
  return ids;
}

bool are_apart(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b) {
  return std::none_of(a.begin(), a.end(), [&](std::int64_t id) { return b.count(id) > 0; });
}

}  // namespace

TEST_CASE("shares that are not given divide what is left", "[dataset][split]") {
  CHECK(split_by("{}").train.size() == 42);
  CHECK(split_by(R"({"train":0.8,"val":0.2})").test.empty());
  CHECK(split_by(R"({"train":0.8})").val.size() == 6);
  CHECK(split_by(R"({"test":0.5})").train.size() == 15);
}

TEST_CASE("a column says which split a row is in", "[dataset][split]") {
  const Dataset d = split_by(R"({"column":"set","train":["learn"],"val":"tune","test":["final"]})");
  check_whole(d);
  CHECK(d.train.size() == 36);
  CHECK(d.val == Numbers{6, 7, 16, 17, 26, 27, 36, 37, 46, 47, 56, 57});
  CHECK(split_by(R"({"column":2,"train":["learn","final"],"val":["tune"]})").test.empty());
}

TEST_CASE("numbers of a column are named as they stand in the file", "[dataset][split]") {
  const std::string text = "x,y,fold\n1,p,0\n2,q,0\n3,p,1\n4,q,1\n5,p,2\n6,q,2\n";
  const Dataset d = split_by(R"({"column":"fold","train":[0,1],"val":[2]})", 7,
                             "set,patient,day," + text.substr(0, 9) + "a,b,c,1,p,0\na,b,c,2,q,1\na,b,c,3,p,2\n");
  CHECK(d.train == Numbers{0, 1});
  CHECK(d.val == Numbers{2});
}

TEST_CASE("a column that rows are split by is no feature, unless it is named", "[dataset][split]") {
  const DataFolder folder;
  folder.write("t.csv", table());
  const auto features = [&](const char* keys) {
    const std::string text = std::string(R"({"op":"csv","path":"t.csv","target":"y",)") + keys + "}";
    return load(section(text.c_str()), folder.where(), 7).schema.columns;
  };
  using Names = std::vector<std::string>;
  CHECK(features(R"("drop":["set","day"],"split":{"group":"patient"})") == Names{"x"});
  CHECK(features(R"("features":["x","day"],"most_categories":2000,"split":{"time":"day"})").back() == "day");
}

TEST_CASE("no group is in two splits", "[dataset][split]") {
  const Dataset d = split_by(R"({"group":"patient","train":0.6,"val":0.2,"test":0.2})", GENERATE(1, 2, 3));
  check_whole(d);
  CHECK(are_apart(patients(d.train), patients(d.val)));
  CHECK(are_apart(patients(d.train), patients(d.test)));
  CHECK(are_apart(patients(d.val), patients(d.test)));
  CHECK(d.train.size() >= 30);
}

TEST_CASE("another seed draws other groups", "[dataset][split]") {
  const char* split = R"({"group":"patient"})";
  CHECK(split_by(split, 1).val == split_by(split, 1).val);
  CHECK((split_by(split, 1).val != split_by(split, 2).val || split_by(split, 1).val != split_by(split, 3).val));
}

TEST_CASE("the past trains, the future tests, and a day stays whole", "[dataset][split]") {
  const Dataset d = split_by(R"({"time":"day","train":0.7,"val":0.15,"test":0.15})");  // the file runs backwards
  check_whole(d);
  CHECK(d.train.front() == 18);
  CHECK(d.train.back() == 59);
  CHECK(d.val.size() == 9);
  CHECK(d.val.front() == 9);
  CHECK(d.test.back() == 8);
  const Dataset uneven = split_by(R"({"time":"day","train":0.66,"val":0.34})");  // 39.6 rows: 39 or 42
  CHECK(uneven.train.size() == 39);
}

TEST_CASE("rows of one group, and those of days that follow each other, are clusters of val", "[dataset][split]") {
  const Dataset groups = split_by(R"({"group":"patient","folds":3,"fold":1})");
  REQUIRE(groups.val_clusters.size() == groups.val.size());
  std::map<std::int64_t, std::set<std::int64_t>> patients;
  for (std::size_t i = 0; i < groups.val.size(); ++i)
    patients[groups.val_clusters[i]].insert(groups.val[i] * groups.val[i] % 31 % 12);
  CHECK(patients.size() > 1);
  for (const auto& [cluster, those] : patients) CHECK(those.size() == 1);

  // Rows 9 to 17 are three days, the last of them first; the cube root of 3, rounded up, is 2.
  const Dataset times = split_by(R"({"time":"day","train":0.7,"val":0.15,"test":0.15})");
  CHECK(times.val_clusters == Numbers{1, 1, 1, 0, 0, 0, 0, 0, 0});
  CHECK(split_by(R"({"folds":3,"fold":1})").val_clusters.empty());
}

TEST_CASE("times that are numbers are ordered by value", "[dataset][split]") {
  const std::string text =
      "x,y,set,patient,day\n1,p,a,a,9\n2,q,a,a,10\n3,p,a,a,8\n4,q,a,a,100\n5,p,a,a,-1\n6,q,a,a,3\n";
  const Dataset d = split_by(R"({"time":"day","train":0.5,"val":0.5})", 7, text);
  CHECK(d.val == Numbers{0, 1, 3});
}

TEST_CASE("times that are dates are ordered in UTC", "[dataset][split]") {
  const Dataset d = split_by(R"({"time":"day","train":0.5,"val":0.5})", 7,
                             "x,y,set,patient,day\n1,p,a,a,2026-01-31T09:00+02:00\n2,p,a,a,2026-01-31T08:00Z\n"
                             "3,q,a,a,2026-01-30\n4,q,a,a,2026-02-01 00:00\n");
  CHECK(d.train == Numbers{0, 2});
  const std::string months =
      "x,y,set,patient,day\n1,p,a,a,2026-01\n2,q,a,a,2025-12\n3,q,a,a,2026-02\n4,p,a,a,2025-11\n";
  CHECK(split_by(R"({"time":"day","train":0.5,"val":0.5})", 7, months).train == Numbers{1, 3});
  const std::string clocks = "x,y,set,patient,day\n1,p,a,a,10:05\n2,q,a,a,09:05\n3,q,a,a,11:00\n4,p,a,a,09:00\n";
  CHECK(split_by(R"({"time":"day","train":0.5,"val":0.5})", 7, clocks).train == Numbers{1, 3});
}

TEST_CASE("times whose bytes do not sort by time are refused", "[dataset][split][faults]") {
  const auto fault = [](const std::string& first, const std::string& second) {
    return fault_of(R"({"time":"day"})", "x,y,set,patient,day\n1,p,a,a," + first + "\n2,q,a,a," + second + "\n");
  };
  CHECK(fault("01.12.2026", "02.01.2024") ==
        "split.time: line 2 has the time \"01.12.2026\", and such texts do not sort by time "
        "(write 2026-01-31 23:59, or a number)");
  CHECK_THAT(fault("1/31/2026", "12/1/2025"), Contains("line 2 has the time \"1/31/2026\""));
  CHECK_THAT(fault("10:05", "9:05"), Contains("line 3 has the time \"9:05\""));
  CHECK(fault("2026-1", "2026-10") ==
        "split.time: line 2 has the time \"2026-1\", line 3 has \"2026-10\": texts of several forms do not sort by "
        "time (write 2026-01-31 23:59, or a number)");
  CHECK_THAT(fault("Jan 2026", "Feb 2026"), Contains("texts of several forms"));
}

TEST_CASE("every row is val in exactly one fold, and every class has its share of each", "[dataset][split]") {
  Numbers seen;
  for (int fold = 0; fold < 5; ++fold) {
    const Dataset d = split_by(R"({"folds":5,"fold":)" + std::to_string(fold) + "}");
    check_whole(d);
    CHECK(d.val.size() == 12);
    CHECK(std::count_if(d.val.begin(), d.val.end(), [](std::int64_t i) { return i % 3 == 0; }) == 4);
    seen.insert(seen.end(), d.val.begin(), d.val.end());
  }
  std::sort(seen.begin(), seen.end());
  CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
  CHECK(seen.size() == 60);
}

// 60 rows in 5 parts of 12, 2 of them val: 24; part 4 and part 0 are neighbours.
TEST_CASE("several folds can be val, and every row is in as many", "[dataset][split]") {
  std::map<std::int64_t, int> times;
  for (int fold = 0; fold < 5; ++fold) {
    const Dataset d = split_by(R"({"folds":5,"val_folds":2,"fold":)" + std::to_string(fold) + "}");
    check_whole(d);
    CHECK(d.val.size() == 24);
    for (const std::int64_t row : d.val) ++times[row];
  }
  CHECK(times.size() == 60);
  CHECK(std::all_of(times.begin(), times.end(), [](const auto& row) { return row.second == 2; }));
  Numbers both = split_by(R"({"folds":5,"fold":4})").val;
  const Numbers first = split_by(R"({"folds":5,"fold":0})").val;
  both.insert(both.end(), first.begin(), first.end());
  std::sort(both.begin(), both.end());
  CHECK(split_by(R"({"folds":5,"val_folds":2,"fold":4})").val == both);
}

TEST_CASE("one fold of val is what it is by default", "[dataset][split]") {
  CHECK(split_by(R"({"folds":5,"val_folds":1})").schema.sha256 == split_by(R"({"folds":5})").schema.sha256);
}

TEST_CASE("several folds of groups keep them whole", "[dataset][split]") {
  const Dataset d = split_by(R"({"group":"patient","folds":4,"val_folds":3,"fold":2})");
  check_whole(d);
  CHECK(are_apart(patients(d.train), patients(d.val)));
  CHECK(d.val.size() > d.train.size());
}

TEST_CASE("folds leave the test split alone", "[dataset][split]") {
  const Dataset first = split_by(R"({"folds":4,"fold":0,"test":0.2})"),
                last = split_by(R"({"folds":4,"fold":3,"test":0.2})");
  for (const Dataset* each : {&first, &last}) {
    check_whole(*each);
    CHECK(each->test.size() == 12);
    CHECK(each->val.size() == 12);
    CHECK(each->train.size() == 36);
  }
  CHECK(first.test == last.test);
  CHECK(first.schema.sha256 != last.schema.sha256);
}

TEST_CASE("folds of groups keep them whole and are about as large", "[dataset][split]") {
  std::size_t rows = 0;
  for (int fold = 0; fold < 3; ++fold) {
    const Dataset d = split_by(R"({"group":"patient","folds":3,"fold":)" + std::to_string(fold) + "}");
    check_whole(d);
    CHECK(are_apart(patients(d.train), patients(d.val)));
    CHECK(d.val.size() >= 17);
    CHECK(d.val.size() <= 23);
    rows += d.val.size();
  }
  CHECK(rows == 60);
}

TEST_CASE("folds of groups leave the test split alone", "[dataset][split]") {
  Numbers seen, test;
  for (int fold = 0; fold < 3; ++fold) {
    const Dataset d = split_by(R"({"group":"patient","test":0.25,"folds":3,"fold":)" + std::to_string(fold) + "}");
    check_whole(d);
    CHECK(are_apart(patients(d.train), patients(d.val)));
    CHECK(are_apart(patients(d.train), patients(d.test)));
    CHECK(d.test.size() >= 10);
    CHECK(d.test.size() <= 20);
    if (fold > 0) CHECK(d.test == test);
    test = d.test;
    seen.insert(seen.end(), d.val.begin(), d.val.end());
  }
  CHECK(seen.size() == 60 - test.size());
  CHECK(std::set<std::int64_t>(seen.begin(), seen.end()).size() == seen.size());
}

TEST_CASE("what has no effect beside something else is refused", "[dataset][split][faults]") {
  CHECK(fault_of(R"({"column":"set","train":["learn","tune","final"],"group":"patient"})") ==
        "split.group: 'group' has no effect beside 'column': the column decides for every row (remove one of them)");
  CHECK_THAT(fault_of(R"({"time":"day","group":"patient"})"), Contains("rows are cut by time alone"));
  CHECK_THAT(fault_of(R"({"time":"day","seed":3})"), Contains("nothing is drawn"));
  CHECK_THAT(fault_of(R"({"time":"day","folds":3})"), Contains("folds would train on what comes later"));
  CHECK(fault_of(R"({"group":"patient","stratify":true})") ==
        "split.stratify: 'stratify' has no effect beside 'group' (remove it)");
  CHECK(fault_of(R"({"fold":3})") == "split.fold: 'fold' needs 'folds', the number of parts (e.g. folds: 10)");
  CHECK(fault_of(R"({"val_folds":3})") ==
        "split.val_folds: 'val_folds' needs 'folds', the number of parts (e.g. folds: 10)");
  CHECK(fault_of(R"({"folds":3,"val_folds":3})") == "split.val_folds: 3 of 3 parts leave none for training (1 to 2)");
  CHECK(fault_of(R"({"folds":3,"fold":3})") == "split.fold: there is no fold 3 of 3 (0 to 2)");
  CHECK(fault_of(R"({"folds":3,"val":0.2})") ==
        "split.val: 'val' has no effect beside 'folds': one fold is val, the others train (remove it)");
  CHECK(fault_of(R"({"train":["learn"]})") ==
        "split.train: 'train' names values, but no 'column' that has them (add column: NAME)");
  CHECK_THAT(fault_of(R"({"column":"set","train":0.5})"), Contains("'train' is a share, but 'column' decides"));
  CHECK_THAT(fault_of(R"({"column":"set"})"), Contains("'split' needs 'train', the values that mean training"));
  CHECK_THAT(fault_of(R"({"train":2})"), Contains("'train' must be a number from 0 to 1, but is 2"));
}

TEST_CASE("values, groups and times that are not there", "[dataset][split][faults]") {
  CHECK(
      fault_of(R"({"column":"set","train":["learn"],"val":["tune"]})") ==
      "split.column: line 10 has \"final\" in the column \"set\", which no split names (add it to train, val or test)");
  CHECK(fault_of(R"({"column":"set","train":["learn","final"],"val":["tune","tuned"]})") ==
        "split.val: no row has \"tuned\" in the column \"set\" (did you mean 'tune'?)");
  CHECK_THAT(fault_of(R"({"column":"set","train":["learn","final"],"val":["tune","learn"]})"),
             Contains("the value \"learn\" is in two splits"));
  CHECK_THAT(fault_of(R"({"group":"patiens"})"),
             Contains("split.group: there is no column 'patiens'") && Contains("did you mean 'patient'?"));
  CHECK(fault_of(R"({"group":"g"})", "x,y,set,patient,day,g\n1,p,a,a,1,a\n2,q,a,a,1,\n") ==
        "split.group: line 3 has no group (fill it in, or split by another column)");
  CHECK(fault_of(R"({"group":"g"})", "x,y,set,patient,day,g\n1,p,a,a,1,a\n2,q,a,a,1,NA\n") ==
        "split.group: line 3 has no group (fill it in, or split by another column)");
  CHECK(fault_of(R"({"time":"day"})", "x,y,set,patient,day\n1,p,a,a,2026-01-31\n2,q,a,a,NA\n") ==
        "split.time: line 3 has no time (fill it in, or split by another column)");
  CHECK_THAT(fault_of(R"({"time":"day"})", "x,y,set,patient,day\n1,p,a,a,1\n2,q,a,a,May\n"),
             Contains("line 2 is a number (\"1\"), line 3 a text (\"May\")"));
}

TEST_CASE("a split that was asked for and is empty", "[dataset][split][faults]") {
  CHECK(
      fault_of(R"({"group":"g"})", "x,y,set,patient,day,g\n1,p,a,a,1,a\n2,q,a,a,1,a\n3,p,a,a,1,b\n4,q,a,a,1,b\n") ==
      "split: the validation split is empty: there are 4 rows of 2 different groups (give `val` a larger share, or 0)");
  CHECK_THAT(fault_of(R"({"folds":9,"fold":0})", "x,y,set,patient,day\n1,p,a,a,1\n2,q,a,a,1\n3,p,a,a,1\n"),
             Contains("the validation split is empty: there are 3 rows (fewer folds, or more rows)"));
}

}  // namespace split_section_test
