// SPDX-License-Identifier: Apache-2.0
// Charts as programs, and what gnuplot makes of them.
#include <cmath>

#include "plot/curves.hpp"
#include "plot/forest.hpp"
#include "plot/gantt.hpp"
#include "plot/gnuplot.hpp"
#include "plot/graphviz.hpp"
#include "plot/heat_map.hpp"
#include "plot/lines.hpp"
#include "plot/script.hpp"
#include "plot/slopes.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace plot_test {

using namespace dlrun;
using namespace dlrun::plot;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Forest sample_forest() {
  return {"study-forest",
          "What each contributes",
          "8 seeds",
          "contribution",
          0.01,
          "within ±0.01",
          {{"helps", kBlue, Shape::disc}, {"hurts", kVermilion, Shape::diamond}},
          {{"norm", 0, Interval{0.05, 0.04, 0.06}, ""}, {"it's $(x) `y`", 1, std::nullopt, "invalid: collapsed"}}};
}

/// Every drawing of these is tried by gnuplot itself.
std::string svg_of(const Picture& picture) { return drawn(picture, Form::svg); }

}  // namespace

TEST_CASE("names are letters to gnuplot, whatever they are", "[plot]") {
  CHECK(in_quotes("it's") == "'it''s'");
  CHECK(in_quotes("a\nb\x7f") == "'a b '");
  CHECK(in_quotes("'a\" \\ `date` @x '") == "\"'a\\042 \\134 \\140date\\140 \\100x '\"");
  CHECK(in_quotes("`date` $x @y") == "'`date` $x @y'");
}

TEST_CASE("long names lose their middle", "[plot]") {
  CHECK(shortened("block.body.conv1", 16) == "block.body.conv1");
  CHECK(shortened("block.body.conv1", 9) == "bloc…onv1");
  CHECK(shortened("äöüß", 3) == "ä…ß");
  CHECK(letters("äöüß") == 4);
}

TEST_CASE("numbers of a data block, and what is none", "[plot]") {
  CHECK(data("d", {{1, 0.25}, {}, {NAN, -1e-12}}) == "$d << EOD\n1 0.25\n\nNaN -1e-12\nEOD\n");
}

TEST_CASE("two digits of the largest number", "[plot]") {
  CHECK(decimals_for(0.085) == 3);
  CHECK(decimals_for(0.85) == 2);
  CHECK(decimals_for(12) == 0);
  CHECK(decimals_for(0) == 1);
}

TEST_CASE("a forest plot has a row for each effect, by group", "[plot]") {
  const Picture picture = forest(sample_forest());
  CHECK(has(picture.program, "$group0 << EOD\n0.05 2 0.04 0.06\nEOD\n"));
  CHECK(!has(picture.program, "$group1 <<"));  // it has no effect to show, and so no place in the key
  CHECK(has(picture.program, "+0.050  [+0.040, +0.060]"));
  CHECK(has(picture.program, "from -0.01, graph 0 to 0.01, graph 1"));
  const std::string drawn = svg_of(picture);
  CHECK(has(drawn, "norm"));
  CHECK(has(drawn, "invalid: collapsed"));
  CHECK(has(drawn, "`y`"));
}

TEST_CASE("a forest plot without any effect is drawn", "[plot]") {
  Forest chart = sample_forest();
  chart.band = 0;
  chart.rows.erase(chart.rows.begin());
  CHECK(has(svg_of(forest(chart)), "invalid: collapsed"));
}

TEST_CASE("a heat map has a square for each pair that was measured", "[plot]") {
  HeatMap chart{"study-pairs", "Interactions",  "",
                "accuracy",    {"a", "b", "c"}, {{1, 0, -0.04, true}, {2, 0, 0.01, false}}};
  const Picture picture = heat_map(chart);
  CHECK(has(picture.program, "$squares << EOD\n0 1 -0.48 0.48 0.52 1.48 -0.04\n0 2 -0.48 0.48 1.52 2.48 0.01\nEOD\n"));
  CHECK(has(picture.program, "set cbrange [-0.04:0.04]"));
  CHECK(has(picture.program, "'−0.040*'"));
  CHECK(has(svg_of(picture), "−0.040*"));
  for (int i = 3; i < 30; ++i) chart.names.push_back("component_" + std::to_string(i));
  CHECK(!has(heat_map(chart).program, "−0.040"));  // no room, but for the asterisk
  CHECK(has(svg_of(heat_map(chart)), "component_29"));
}

TEST_CASE("curves are means in a band over the runs", "[plot]") {
  const Curve one{{1, 2, 3, 4}, {0, 2, 3, 3}}, other{{1, 2, 3, 4}, {0, 4, 5, 5}}, broken{{1, 2}, {0, NAN}};
  const Picture picture = curves(
      {"study-curves", "Curves", "", "epoch", "accuracy", "with", "without", {{"norm", {one, other}, {broken}}}});
  CHECK(has(picture.program, "$first << EOD\n1 0 0 0\n2 3 2 4\n3 4 3 5\n4 4 3 5\nEOD\n"));
  CHECK(has(picture.program, "$second << EOD\n1 0 0 0\nEOD\n"));
  CHECK(has(svg_of(picture), "norm"));
}

TEST_CASE("pairs are lines by the way they go, one without its partner is a cross", "[plot]") {
  const Picture picture = slopes({"study-pairs",
                                  "Pairs",
                                  "",
                                  "accuracy",
                                  "with",
                                  "without",
                                  {"up", kVermilion},
                                  {"down", kBlue},
                                  {{"norm", {{0.9, 0.8}, {0.7, 0.75}, {0.8, 0.8}, {NAN, 0.6}, {NAN, NAN}}}}});
  CHECK(has(picture.program, "$even << EOD\n0 0.8\n1 0.8\n\nEOD\n"));
  CHECK(has(picture.program, "$down << EOD\n0 0.9\n1 0.8\n\nEOD\n"));
  CHECK(has(picture.program, "$up << EOD\n0 0.7\n1 0.75\n\nEOD\n"));
  CHECK(has(picture.program, "$lonely << EOD\n1 0.6\nEOD\n"));
  CHECK(has(svg_of(picture), "without"));
}

TEST_CASE("thirty panels without a single number are drawn", "[plot]") {
  Slopes chart{"s", "t", "", "y", "a", "b", {"up"}, {"down"}, {}};
  for (int i = 0; i < 30; ++i) chart.panels.push_back({"component " + std::to_string(i), {}});
  CHECK(has(svg_of(slopes(chart)), "component 29"));
}

TEST_CASE("lines have their names at their ends, one below the other", "[plot]") {
  Lines chart{"l", "t", "", "ranks", "speed-up", {"1", "2"}, {}};
  chart.panels.push_back({"first", {{"a", {0, 1}, {0, 10}}, {"b", {0, 1}, {NAN, 10}}, {"none", {0}, {NAN}}}});
  chart.panels.push_back({"second", {{"b", {0, 1}, {0, 5}}}});
  const Picture picture = lines(chart);
  // The axis goes from -0.6 to 10.6, 11.2 over 190 pixels: 13 of them, for a name, are 0.766.
  CHECK(has(picture.program, "set label 'a' at graph 1.04, first 9.83368421 left"));
  CHECK(has(picture.program, "set label 'b' at graph 1.04, first 10.6 left"));
  CHECK(has(picture.program, "$line1 << EOD\n1 10\nEOD\n"));
  CHECK_FALSE(has(picture.program, "none"));
  CHECK(has(picture.program, "set label 'b' at graph 1.04, first 5 left front font ',11' tc rgb '#d55e00'"));
  CHECK(has(svg_of(picture), "second"));
}

TEST_CASE("a line alone, at one place, is drawn", "[plot]") {
  CHECK(has(svg_of(lines({"l", "t", "", "x", "y", {}, {{"", {{"alone", {3}, {7}}}}}})), "alone"));
}

TEST_CASE("pictures are what their endings say, the same each time", "[plot]") {
  const Picture picture = forest(sample_forest());
  CHECK(drawn(picture, Form::svg).rfind("<?xml", 0) == 0);
  CHECK(drawn(picture, Form::png).rfind("\x89PNG", 0) == 0);
  CHECK(drawn(picture, Form::pdf).rfind("%PDF", 0) == 0);
  CHECK(drawn(picture, Form::svg) == drawn(picture, Form::svg));
}

TEST_CASE("a graph is drawn by dot, what it does not understand is an error with its words", "[plot]") {
  CHECK(has(graph_drawn("digraph g { \"a/1\" -> \"b/2\" [label=\"began\"]; }"), ">began</text>"));
  try {
    graph_drawn("digraph g { a -> }");
    FAIL("dot drew nonsense");
  } catch (const Error& fault) {
    CHECK(has(fault.what(), "syntax error in line 1"));
  }
}

TEST_CASE("what gnuplot does not understand is an error with its words", "[plot]") {
  try {
    drawn({"bad", "", 100, 100, "plot nonsense(x)\n"}, Form::svg);
    FAIL("gnuplot drew nonsense");
  } catch (const Error& fault) {
    CHECK(has(fault.what(), "'bad': line"));
    CHECK(has(fault.what(), "undefined function: nonsense"));
  }
}

TEST_CASE("a Gantt chart has a bar for each span, on its row", "[plot]") {
  const Gantt chart{"step",
                    "a step",
                    "",
                    "milliseconds",
                    8,
                    {{"forward", kBlue, Shape::square}, {"backward", kVermilion, Shape::square}},
                    {{"device 0", "25 % idle"}, {"device 1", ""}},
                    {{0, 0, 0, 2}, {1, 0, 1, 3}, {0, 1, 4, 8}}};
  const Picture picture = gantt(chart);
  CHECK(has(picture.program, "1 0 0 2 -0.36 0.36"));    // middle, row, begin, end, lower and upper edge
  CHECK(has(picture.program, "2 -1 1 3 -1.36 -0.64"));  // the second row is below
  CHECK(has(picture.program, "6 0 4 8 -0.36 0.36"));
  CHECK(has(picture.program, "set xrange [0:8]"));
  const std::string svg = svg_of(picture);
  CHECK(has(svg, "25 % idle"));
  CHECK(has(svg, "device 1"));
}

}  // namespace plot_test
