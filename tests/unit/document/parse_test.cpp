// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "unit/document/read_text.hpp"

namespace parse_test {

using namespace dlrun::document;

TEST_CASE("every value knows its line and column, counted from 1", "[document][parse]") {
  const ReadText read("a: 1\nb:\n  - {c: 'it''s', d: two words}\n");
  REQUIRE(read.root);
  const Node& item = read.root->find("b")->items[0];
  CHECK(to_string(read.root->find("a")->span) == "test.yaml:1:4");
  CHECK(to_string(item.span) == "test.yaml:3:5");
  CHECK(to_string(item.entries[0].key_span) == "test.yaml:3:6");
  CHECK(item.find("c")->text == "it's");
  CHECK(item.find("c")->span.length == 7);
  CHECK(item.find("d")->span.length == 9);
}

TEST_CASE("columns are shown in characters, not bytes", "[document][parse]") {
  const ReadText read("{größe: 1, x: 2}\n");
  CHECK(to_string(read.root->find("x")->span) == "test.yaml:1:15");
}

TEST_CASE("an absent value is found at its key, not where yaml-cpp stands", "[document][parse]") {
  const ReadText read("a:\n\n\nb: ~\n");
  CHECK(to_string(read.root->find("a")->span) == "test.yaml:1:1");
  CHECK(read.root->find("a")->is_null());
  CHECK(to_string(read.root->find("b")->span) == "test.yaml:4:4");
}

TEST_CASE("lines may end as on Unix, Windows or old Macs", "[document][parse]") {
  for (const char* text : {"a: 1\nb: [2\n]\n", "a: 1\r\nb: [2\r\n]\r\n", "a: 1\rb: [2\r]\r"}) {
    const ReadText read(text);
    REQUIRE(read.root);
    CHECK(to_string(read.root->find("b")->span) == "test.yaml:2:4");
  }
}

TEST_CASE("aliases are copies that stand where they were used", "[document][parse]") {
  const ReadText read("a: &x {b: 1}\nc: *x\n");
  const Node* copy = read.root->find("c");
  REQUIRE(copy->is_map());
  CHECK(copy->find("b")->text == "1");
  CHECK(to_string(copy->span) == "test.yaml:2:4");
}

TEST_CASE("all duplicate keys of a text are told in one pass", "[document][parse]") {
  const ReadText read("a: 1\na: 2\nb: {c: 1, c: 2}\n");
  REQUIRE(read.root);
  CHECK(read.faults.error_count() == 2);
  CHECK(read.root->find("a")->text == "1");
  CHECK_THAT(read.errors(),
             Contains("test.yaml:2:1: error: key 'a' is given twice") && Contains("test.yaml:1:1: note"));
}

TEST_CASE("a tab is content inside of blocks and quotes, and indents nowhere", "[document][parse]") {
  const ReadText read("a: |\n  cat <<-X\n  \tone\n  X\nb:\n  - \"two\n  \twords\"\n  - >\n    x\n    \ty\n");
  CHECK(read.errors().empty());
  REQUIRE(read.root);
  CHECK(read.root->find("a")->text == "cat <<-X\n\tone\nX\n");
  CHECK(read.root->find("b")->items[0].text == "two words");
  CHECK_THAT(ReadText("a: |\n  x\n\tb: 1\n").errors(), Contains("test.yaml:3:1: error: a tab cannot indent"));
  CHECK_THAT(ReadText("a: |\n\tx\n").errors(), Contains("test.yaml:2:1: error: a tab cannot indent"));
  CHECK_THAT(ReadText("a:\n\tb: 1\n").errors(), Contains("test.yaml:2:1: error: a tab cannot indent"));
  CHECK_THAT(ReadText("a:\n  b: \"x\"\n \tc: 1\n").errors(), Contains("test.yaml:3:2: error: a tab cannot indent"));
}

TEST_CASE("an alias bomb costs no more than the budget", "[document][limits]") {
  std::string text = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 60; ++i) {
    text += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    text += "]\n";
  }
  const std::clock_t start = std::clock();
  const ReadText read(text);
  CHECK_FALSE(read.root);
  CHECK_THAT(read.errors(), Contains("more than 100000 values"));
  CHECK(double(std::clock() - start) / CLOCKS_PER_SEC < 5);
}

TEST_CASE("a wide file within the limits is read, one beyond is not", "[document][limits]") {
  std::string text = "list: [";
  for (int i = 0; i < 99'990; ++i) text += "1,";
  CHECK(ReadText(text + "1]").root);
  for (int i = 0; i < 100; ++i) text += "1,";
  CHECK_FALSE(ReadText(text + "1]").root);
}

TEST_CASE("depth 64 is read, 65 is not", "[document][limits]") {
  const auto nested = [](int depth) {  // the root map is one level
    return "a: " + std::string(std::size_t(depth) - 1, '[') + std::string(std::size_t(depth) - 1, ']') + "\n";
  };
  CHECK(ReadText(nested(64)).root);
  CHECK_THAT(ReadText(nested(65)).errors(), Contains("nest deeper than 64"));
}

TEST_CASE("more than 10 MiB is refused by size alone", "[document][limits]") {
  const ReadText read(std::string(kMaxBytes + 1, '#'));
  CHECK_FALSE(read.root);
  CHECK_THAT(read.errors(), Contains("more than 10 MiB"));
}

TEST_CASE("what is no UTF-8 is refused with its place", "[document][encoding]") {
  const char* bad =
      GENERATE("a: \x80", "a: \xC0\x80", "a: \xED\xA0\x80", "a: \xF5\x80\x80\x80", "a: \xE2\x82", "a: \xFF");
  const ReadText read(bad);
  CHECK_FALSE(read.root);
  CHECK_THAT(read.errors(), Contains("test.yaml:1:4") && Contains("no valid UTF-8"));
}

TEST_CASE("control characters never reach the terminal", "[document][encoding]") {
  const std::string bad = GENERATE(std::string("a: \x1b[31m"), std::string("a: \0b", 5), std::string("a: \xC2\x9B"));
  const ReadText read(bad);
  CHECK_FALSE(read.root);
  const std::string shown = read.errors();
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find('\0') == std::string::npos);
}

TEST_CASE("quotes that hold escapes and ends of lines are closed where they are", "[document][parse]") {
  const ReadText read("a: \"x \\\" y\"\nb: 'it''s\n  long'\nc: \"\"\nd: \"two\n  lines\"\n");
  REQUIRE(read.root);
  CHECK(read.root->find("a")->text == "x \" y");
  CHECK(read.root->find("b")->text == "it's long");
  CHECK_THAT(ReadText("a: \"x \\\"\nb: 1\n").errors(), Contains("test.yaml:1:4") && Contains("not closed"));
}

TEST_CASE("any garbage ends in an error or a tree, never in a crash", "[document][parse]") {
  const std::string alphabet = "ab:{}[],&*!|>'\"#%@`-? \n\t~<0.$";
  std::uint32_t state = 12345;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint32_t length = state % 40; length > 0; --length) {
      state = state * 1664525u + 1013904223u;
      text += alphabet[(state >> 16) % alphabet.size()];
    }
    state = state * 1664525u + 1013904223u;
    const ReadText read(text);
    CHECK((read.root.has_value() || read.faults.has_errors()));
  }
}

// The message was "illegal map value".
TEST_CASE("a key that is too long for YAML is said to be", "[document][parse]") {
  const std::string key(1100, 'k');
  CHECK_THAT(ReadText("a: 1\n" + key + ": 1\n").errors(), Contains("this key has more than 1024 characters"));
  CHECK_THAT(ReadText("a: {" + key + ": 1}\n").errors(), Contains("this key has more than 1024 characters"));
}

TEST_CASE("what is no YAML is told by what a person did", "[document][parse]") {
  const std::string deeper = "this line stands deeper than the one above, which has a value already";
  CHECK_THAT(ReadText("study: a\n\n  # why\n  x: 1\n").errors(),
             Contains(deeper) && Contains(":1:1: note: the line above"));
  CHECK_THAT(ReadText("study: a: b\n").errors(), Contains("a colon and a space in it needs quotes"));
  CHECK_THAT(ReadText("trial:\n  x: a: b\n").errors(), Contains("a colon and a space in it needs quotes"));
  CHECK_THAT(ReadText("- name: a\n  x: a: b\n").errors(), Contains("a colon and a space in it needs quotes"));
  CHECK_THAT(ReadText("a: 1\nx: %y\n").errors(), Contains("a text that begins with '%' needs quotes"));
}

}  // namespace parse_test
