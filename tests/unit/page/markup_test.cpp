// SPDX-License-Identifier: Apache-2.0
// Texts of others on a page.
#include "page/markup.hpp"

#include "support/catch.hpp"

namespace markup_test {

using namespace dlrun;
using page::escaped;
using page::prose;
using page::table_html;

TEST_CASE("text stays text in elements and in attributes", "[page][markup]") {
  CHECK(escaped("<img src=x onerror=\"alert('1')\"> & 雪") ==
        "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; 雪");
  CHECK(escaped("a\x1b[2Jb\nc") == "a\\x1b[2Jb\\nc");
  CHECK(escaped("\xe2\x80\xae"
                "gpj.exe") == "\\u202egpj.exe");
  CHECK(escaped("\xff") == "\\xff");
  CHECK(page::escaped_lines("a\n<b>") == "a\n&lt;b&gt;");
}

TEST_CASE("a long text begins in the open, and is whole in its fold", "[page][markup]") {
  const std::string text = std::string(79, 'x') + "雪" + std::string(10'000, 'y');
  CHECK(page::beginning("short") == "short");
  CHECK(page::beginning(text) == std::string(79, 'x') + "…");
  const std::string html = table_html({"", {"name", "word"}, {{1, text}}});
  CHECK(html.find("<td><details><summary>" + std::string(79, 'x') + "…</summary>" + text + "</details></td>") !=
        std::string::npos);
}

TEST_CASE("backticks in sentences are code", "[page][markup]") {
  CHECK(prose("keep `lr`, and `a<b`") == "keep <code>lr</code>, and <code>a&lt;b</code>");
  CHECK(prose("an odd ` one") == "an odd <code> one</code>");
  CHECK(prose("") == "");
}

TEST_CASE("a table has its caption, heads of columns and numbers as the terminal prints them", "[page][markup]") {
  const report::Table table{"the <best>", {"name", "value"}, {{"a&b", 0.12345678}, {nullptr, 0.5}}};
  CHECK(table_html(table) ==
        "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"the &lt;best&gt;\"><table><caption>the "
        "&lt;best&gt;</caption><thead><tr><th scope=\"col\">name</th><th scope=\"col\" "
        "class=\"number\">value</th></tr></thead>"
        "<tbody>"
        "<tr><td>a&amp;b</td><td class=\"number\">0.1235</td></tr>\n"
        "<tr><td>-</td><td class=\"number\">0.5000</td></tr>\n</tbody></table></div>\n");
}

TEST_CASE("a column with a text is none of numbers", "[page][markup]") {
  const report::Table table{"facts", {"fact", "value"}, {{"trial", 3}, {"luck", "unknown"}}};
  CHECK_THAT(table_html(table), Contains("<td>3</td>") && !Contains("class=\"number\""));
}

TEST_CASE("sentences are a paragraph and a list", "[page][markup]") {
  const report::Table table{
      "findings", {"component", "finding"}, {{nullptr, "first"}, {"x", "`x` <helps>"}}, report::Shape::sentences};
  CHECK(table_html(table) ==
        "<p class=\"title\">findings</p>\n<p>first</p>\n<ul>\n<li><code>x</code> &lt;helps&gt;</li>\n</ul>\n");
}

TEST_CASE("a table without rows says so", "[page][markup]") {
  CHECK(table_html({"notes", {"trial"}, {}}) == "<p class=\"title\">notes</p>\n<p class=\"remark\">none</p>\n");
}

}  // namespace markup_test
