// SPDX-License-Identifier: Apache-2.0
#include "unit/document/read_text.hpp"

namespace diagnostic_test {

using namespace dlrun::document;

namespace {
std::string shown(const Span& at, const std::string& message, const std::string& help = {}) {
  Diagnostics list;
  list.error(at, message, help);
  return list.render_errors();
}

Source text(const std::string& lines, int order = 0) {
  return std::make_shared<SourceText>("studies/mnist.yaml", ".", order, lines);
}
}  // namespace

TEST_CASE("a fault shows place, line, caret and help", "[document][diagnostic]") {
  std::string lines(13, '\n');
  lines += "      lr: {type: float, low: 0, high: 1, scale: log}\n";
  CHECK(
      shown({text(lines), 14, 30, 1}, "a log scale needs low > 0, but low is 0", "write low: 1e-6, or scale: linear") ==
      "studies/mnist.yaml:14:30: error: a log scale needs low > 0, but low is 0\n"
      "   14 |       lr: {type: float, low: 0, high: 1, scale: log}\n"
      "      |                              ^\n"
      "  help: write low: 1e-6, or scale: linear\n");
}

TEST_CASE("the whole word is underlined", "[document][diagnostic]") {
  CHECK_THAT(shown({text("- remove: [conv2, dense_tow]\n"), 1, 19, 9}, "no component 'dense_tow'"),
             Contains("      |                   ^~~~~~~~~\n"));
}

TEST_CASE("tabs before the place keep the caret under it", "[document][diagnostic]") {
  CHECK_THAT(shown({text("\ta: 1\n"), 1, 5, 1}, "m"), Contains("      | \t   ^\n"));
}

TEST_CASE("faults come by position, once each, at most twenty", "[document][diagnostic]") {
  Diagnostics list;
  const Source source = text(std::string(60, '\n'));
  for (int line = 30; line > 0; --line) {
    list.error({source, line, 1, 1}, "fault");
    list.error({source, line, 1, 1}, "fault");
  }
  list.error({text("x", 1), 1, 1, 1}, "in a later file");
  const std::string shown = list.render_errors();
  CHECK(shown.find("mnist.yaml:1:1") < shown.find("mnist.yaml:20:1"));
  CHECK(shown.find("mnist.yaml:21:1") == std::string::npos);
  CHECK_THAT(shown, Catch::Matchers::EndsWith("and 11 more\n"));
}

TEST_CASE("warnings are no errors", "[document][diagnostic]") {
  Diagnostics list;
  list.warning({text("a: 1"), 1, 1, 1}, "odd");
  CHECK_FALSE(list.has_errors());
  CHECK_THAT(list.render_warnings().at(0), Contains("warning: odd"));
}

}  // namespace diagnostic_test
