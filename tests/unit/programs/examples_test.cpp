// SPDX-License-Identifier: Apache-2.0
#include "programs/examples.hpp"

#include "programs/reports.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace examples_test {

using namespace dlrun;
using namespace dlrun::programs;

namespace {

struct Csv {
  support::TempFolder folder;

  std::size_t count(const std::string& text) const {
    write_file(folder.path() / "e.csv", text, {.durable = false});
    return count_examples(folder.path() / "e.csv");
  }
  void refuse(const std::string& text, const std::string& message) const {
    CHECK_THROWS_WITH(count(text), Catch::Matchers::Contains(message));
  }
};

}  // namespace

TEST_CASE("results of examples are counted and checked", "[programs][examples]") {
  const Csv csv;
  CHECK(csv.count("id,value\n17,0.25\n18,1e-3\n") == 2);
  CHECK(csv.count("id,value\n\"a, \"\"b\"\"\",1\n\"a\",0") == 2);
  CHECK(csv.count("\xEF\xBB\xBFid,value\r\n17,0.25\r\n18,1\r\n") == 2);  // as Python's csv.writer and Excel write it
  csv.refuse("", "line 1: there are no examples");
  csv.refuse("id,value\n", "line 1: there are no examples");
  csv.refuse("17,0.25\n", "line 1: the first line is 'id,value'");
  csv.refuse("id,value\n17\n", "line 2: 'id,value' is expected");
  csv.refuse("id,value\n\"17,1\n", "line 2: 'id,value' is expected");
  csv.refuse("id,value\n17,\n", "line 2: '' is no finite number");
  csv.refuse("id,value\n17,nan\n", "line 2: 'nan' is no finite number");
  csv.refuse("id,value\n17,1,2\n", "line 2: '1,2' is no finite number");
  csv.refuse("id,value\n1,1\n1,2\n", "line 3: the id '1' is there twice");
  csv.refuse("id,value\n,1\n", "line 2: an id has 1 to 200 bytes");
  csv.refuse("id,value\n\xff,1\n", "line 2: an id is UTF-8 text without control characters");
}

TEST_CASE("a piece gets the newest results of its examples, once", "[programs][examples]") {
  Reports reports({.begin = 0, .known = 1, .last = 4, .needed = {"acc"}});
  const auto say = [&](const std::string& file, int step) {
    reports.take_report_line(R"({"examples": ")" + file + R"(", "step": )" + std::to_string(step) + "}");
  };
  say("known", 1);
  CHECK_FALSE(reports.take_examples(4));
  say("two", 2);
  say("three", 3);
  say("four", 4);
  CHECK(reports.take_examples(3)->path == "three");
  CHECK_FALSE(reports.take_examples(3));
  say("other", 4);
  CHECK(reports.take_examples(4)->path == "other");
  CHECK(reports.take_warnings().empty());
  say("beyond", 5);
  CHECK_FALSE(reports.take_examples(9));
  CHECK(reports.take_warnings().size() == 1);
}

// A function that stops early names the file once more, with the step of its last report.
TEST_CASE("results of examples that are named again are those of the earlier step", "[programs][examples]") {
  Reports reports({.begin = 0, .known = 0, .last = 4, .needed = {"acc"}});
  for (const char* line : {R"({"examples": "e", "step": 3})", R"({"examples": "e", "step": 2})"})
    reports.take_report_line(line);
  CHECK(reports.take_examples(4)->step == 2);
  CHECK_FALSE(reports.take_examples(4));
  CHECK(reports.take_warnings().empty());
}

}  // namespace examples_test
