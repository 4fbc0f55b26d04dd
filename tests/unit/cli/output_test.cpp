// SPDX-License-Identifier: Apache-2.0
#include "output/output.hpp"

#include <limits>

#include "output/text_width.hpp"
#include "output/text_wrap.hpp"
#include "support/catch.hpp"
#include "util/number_text.hpp"

namespace output_test {

using namespace dlrun;
using namespace dlrun::cli;

namespace {

std::vector<std::string> column(const std::vector<Json>& cells) {
  std::vector<const Json*> pointers;
  for (const Json& cell : cells) pointers.push_back(&cell);
  return column_text(pointers);
}

report::Table trials() {
  return {.title = "trials",
          .columns = {"trial", "state", "objective", "note"},
          .rows = {{0, "completed", 0.97134, "a long remark that somebody wrote about this trial"},
                   {11, "failed", nullptr, "short"}}};
}

}  // namespace

TEST_CASE("numbers keep four significant digits and their whole part", "[cli][numbers]") {
  CHECK(short_number(0.971342) == "0.9713");
  CHECK(short_number(12345.67) == "12346");
  CHECK(short_number(0.5) == "0.5");
  CHECK(short_number(3.2e-7) == "3.2e-07");
  CHECK(short_number(-0.001234567) == "-0.001235");
  CHECK(short_number(0) == "0");
  CHECK(short_number(9.99999) == "10");
  CHECK(short_number(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(short_number(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("a column of like fractions shares its decimals, one over decades does not", "[cli][numbers]") {
  CHECK(column({0.9713, 0.95, 0.9}) == std::vector<std::string>{"0.9713", "0.9500", "0.9000"});
  CHECK(column({1e-4, 0.1, 0.012345}) == std::vector<std::string>{"0.0001", "0.1", "0.01235"});
  CHECK(column({1, 20, nullptr}) == std::vector<std::string>{"1", "20", "-"});
  CHECK(column({2.0, 4.0}) == std::vector<std::string>{"2", "4"});
  CHECK(column({true, "x"}) == std::vector<std::string>{"true", "x"});
}

TEST_CASE("nothing in a cell can steer a terminal", "[cli][text]") {
  CHECK(visible("a\x1b[31mb\n\t\x7f") == "a\\x1b[31mb\\n\\t\\x7f");
  CHECK(visible("two\nlines", true) == "two\nlines");
  CHECK(visible("\xc2\x9b"
                "31m") == "\\x9b31m");  // CSI as one character
  CHECK(visible("\xe2\x80\xae"
                "abc") == "\\u202eabc");                // right-to-left override
  CHECK(visible("\xff\xc0\xaf") == "\\xff\\xc0\\xaf");  // no UTF-8
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(visible("größe 数 😀") == "größe 数 😀");
}

TEST_CASE("width counts columns, not bytes, and a cut never splits a character", "[cli][text]") {
  CHECK(display_width("größe") == 5);
  CHECK(display_width("数字") == 4);
  CHECK(display_width("e\xcc\x81") == 1);
  CHECK(cut("数字数字", 5) == "数字…");
  CHECK(cut("abc", 3) == "abc");
  CHECK(cut("abcd", 3) == "ab…");
  CHECK(cut("abcd", 0).empty());
}

TEST_CASE("a text table aligns numbers to the right and text to the left", "[cli][text]") {
  const std::string text = TextOutput(Page{}).text({trials()});
  CHECK(text ==
        "trials\n"
        "trial  state      objective  note\n"
        "    0  completed     0.9713  a long remark that somebody wrote about this trial\n"
        "   11  failed             -  short\n");
}

TEST_CASE("a narrow page cuts text first and then drops columns, and says so", "[cli][text]") {
  const auto longest = [](const std::string& text) {
    std::size_t most = 0, start = 0;
    for (std::size_t end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
      if (text[start] != '(') most = std::max(most, display_width(text.substr(start, end - start)));
    }
    return most;
  };
  const std::string cut_text = TextOutput(Page{.width = 50}).text({trials()});
  CHECK(longest(cut_text) <= 50);
  CHECK_THAT(cut_text, Contains("a long remark") && Contains("…") && !Contains("not shown"));
  const std::string dropped = TextOutput(Page{.width = 30}).text({trials()});
  CHECK(longest(dropped) <= 30);
  CHECK_THAT(dropped, Contains("(not shown for lack of width: note)"));
  CHECK(longest(TextOutput(Page{.width = 3}).text({trials()})) <= 6);
}

TEST_CASE("of a whole table nothing is cut: cells wrap, columns go on below", "[cli][text]") {
  report::Table table = trials();
  table.shape = report::Shape::whole;
  CHECK(TextOutput(Page{.width = 60}).text({table}) ==
        "trials\n"
        "trial  state      objective  note\n"
        "    0  completed     0.9713  a long remark that somebody\n"
        "                             wrote about this trial\n"
        "   11  failed             -  short\n");
  CHECK(TextOutput(Page{.width = 30}).text({table}) ==
        "trials\n"
        "trial  state      objective\n"
        "    0  completed     0.9713\n"
        "   11  failed             -\n"
        "\n"
        "trial  note\n"
        "    0  a long remark that\n"
        "       somebody wrote about\n"
        "       this trial\n"
        "   11  short\n");
  CHECK(TextOutput(Page{}).text({table}) == TextOutput(Page{}).text({trials()}));
}

TEST_CASE("a table of sentences is a list", "[cli][text]") {
  const report::Table table{"findings",
                            {"component", "finding"},
                            {{nullptr, "One of two."}, {"bn", "keep it, says 0.5"}},
                            report::Shape::sentences};
  CHECK(TextOutput(Page{.width = 12}).text({table}) == "findings\nOne of two.\n- keep it,\n  says 0.5\n");
  CHECK(MarkdownOutput().text({table}) == "**findings**\n\nOne of two.\n\n- keep it, says 0.5\n");
  CHECK(CsvOutput(Page{}).text({table}) == "component,finding\n,One of two.\nbn,\"keep it, says 0.5\"\n");
  CHECK(QuietOutput().text({table, trials()}) == "0\n11\n");
}

TEST_CASE("a word wider than the page is broken inside", "[cli][text]") {
  CHECK(wrapped("ab 数字数字 c", 5) == std::vector<std::string>{"ab", "数字", "数字", "c"});
  CHECK(wrapped("", 5) == std::vector<std::string>{""});
  CHECK(wrapped("abcdefg", 3) == std::vector<std::string>{"abc", "def", "g"});
}

TEST_CASE("a single row that is too wide stands upright", "[cli][text]") {
  report::Table table = trials();
  table.rows.pop_back();
  CHECK(TextOutput(Page{.width = 30}).text({table}) ==
        "trials\n"
        "trial      0\n"
        "state      completed\n"
        "objective  0.9713\n"
        "note       a long remark that…\n");
}

TEST_CASE("JSON keeps every value, also where two columns have one name", "[cli][json]") {
  const report::Table table{.columns = {"x", "x"}, .rows = {{1, 0.1234567890123}}};
  const Json answer = Json::parse(JsonOutput().text({table}));
  CHECK(answer["schema"] == 1);
  CHECK(answer["columns"] == Json({"x", "x_2"}));
  CHECK(answer["rows"][0]["x"] == 1);
  CHECK(answer["rows"][0]["x_2"] == 0.1234567890123);
  CHECK(Json::parse(JsonOutput().text({table, table}))["tables"].size() == 2);
  CHECK(Json::parse(JsonOutput().text({}))["tables"].empty());
}

// Infinite numbers were `null`, as JSON writes them.
TEST_CASE("CSV has infinite numbers", "[cli][csv]") {
  const double infinite = std::numeric_limits<double>::infinity();
  const report::Table table{"", {"a", "b", "c"}, {{infinite, -infinite, Json()}}};
  CHECK(CsvOutput(Page{}).text({table}) == "a,b,c\ninf,-inf,\n");
}

TEST_CASE("CSV quotes what would break a field", "[cli][csv]") {
  const report::Table table{.columns = {"a,b", "c"}, .rows = {{"say \"x\"", nullptr}, {"two\nlines", 0.5}}};
  CHECK(CsvOutput(Page{}).text({table}) == "\"a,b\",c\n\"say \"\"x\"\"\",\n\"two\nlines\",0.5\n");
  const report::Table hostile{.columns = {"a"}, .rows = {{"\x1b]0;x"}}};
  CHECK(CsvOutput(Page{}).text({hostile}) == "a\n\x1b]0;x\n");
  CHECK(CsvOutput(Page{.is_terminal = true}).text({hostile}) == "a\n\\x1b]0;x\n");
}

TEST_CASE("Markdown guards its own marks", "[cli][markdown]") {
  const report::Table table{.columns = {"name", "n"}, .rows = {{"a|b <i>", 2}}};
  CHECK(MarkdownOutput().text({table}) == "| name | n |\n| --- | ---: |\n| a\\|b \\<i\\> | 2 |\n");
}

TEST_CASE("quiet prints the first column alone", "[cli][quiet]") {
  CHECK(QuietOutput().text({trials()}) == "0\n11\n");
  CHECK(make_output("json", true, Page{})->text({trials()}) == JsonOutput().text({trials()}));
}

// `report --sql 'select count(*) ...' --format latex` was an empty line.
TEST_CASE("a table of one number is that number in LaTeX", "[cli][output]") {
  const auto latex = [](const Json& cell) {
    return LatexOutput().text({{.title = "answer", .columns = {"n"}, .rows = {{cell}}}});
  };
  CHECK_THAT(latex(42), Contains("\n42\n"));
  CHECK_THAT(latex(-2), Contains("\n$-$2\n"));
  CHECK_THAT(latex(nullptr), Contains("\n-\n"));
}

TEST_CASE("a table of one text named as its column is a paragraph", "[cli][output]") {
  const report::Table table{"methods", {"methods"}, {{"We trained three_fold and more."}}};
  Page narrow;
  narrow.width = 12;
  CHECK(TextOutput(narrow).text({table}) == "methods\nWe trained\nthree_fold\nand more.\n");
  CHECK(TextOutput(Page()).text({table}) == "methods\nWe trained three_fold and more.\n");
  CHECK(MarkdownOutput().text({table}) == "**methods**\n\nWe trained three\\_fold and more.\n");
}

TEST_CASE("numbers of LaTeX have signs and powers of ten", "[cli][output]") {
  const report::Table table{
      "t", {"name", "interval", "p"}, {{"a-b", "[-0.10, +0.02]", "8.1e-11"}, {"c", "-0.4", "2e+03"}}};
  const std::string text = LatexOutput().text({table});
  CHECK_THAT(text, Contains("a-b & [$-$0.10, +0.02] & 8.1$\\times10^{-11}$ "));
  CHECK_THAT(text, Contains("c & $-$0.4 & 2$\\times10^{3}$ "));
}

}  // namespace output_test
