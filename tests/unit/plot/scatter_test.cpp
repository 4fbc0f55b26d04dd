// SPDX-License-Identifier: Apache-2.0
// Axes with their words, marks in panels, bars: as programs, and drawn by gnuplot.
#include <cmath>
#include <limits>

#include "plot/axis.hpp"
#include "plot/bars.hpp"
#include "plot/gnuplot.hpp"
#include "plot/scatter.hpp"
#include "plot/script.hpp"
#include "support/catch.hpp"

namespace scatter_test {

using namespace dlrun::plot;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> words_of(const Ticks& ticks) {
  std::vector<std::string> words;
  for (const Tick& tick : ticks.all) words.push_back(tick.word);
  return words;
}

using Words = std::vector<std::string>;

Scatter sample() {
  Scatter chart{"s", "A title", "", {{"grey", kQuiet, Shape::open_circle}, {"blue", kBlue, Shape::disc}}, {}};
  chart.panels.push_back({{"x", {1, 3}}, {"y", {0, 10}}, {}, {{{1, 5}}, {{2, 6}, {3, 50}, {2, -70}, {3, kInfinite}}}});
  return chart;
}

}  // namespace

TEST_CASE("ticks are as many as have room, and tell their numbers apart", "[plot][axis]") {
  CHECK(words_of(ticks_below({"", {0, 100'000}}, 320)) == Words{"0", "20000", "40000", "60000", "80000", "100000"});
  CHECK(words_of(ticks_below({"", {0, 100'000}}, 100)) == Words{"0", "100000"});
  CHECK(words_of(ticks_below({"", {1.00001, 1.00002}}, 180)) == Words{"1.00001", "1.000015", "1.00002"});
  CHECK(words_of(ticks_below({"", {-2e-7, 2e-7}}, 300)) == Words{"−2e-7", "−1e-7", "0", "1e-7", "2e-7"});
  CHECK(words_of(ticks_below({"", {1e300, 1.5e300}}, 200)).size() > 1);
}

TEST_CASE("a logarithmic axis has powers of ten, or less where it is short", "[plot][axis]") {
  const Axis lr{"lr", {1e-5, 1e-1}, true};
  CHECK(words_of(ticks_below(lr, 400)) == Words{"1e-5", "0.0001", "0.001", "0.01", "0.1"});
  CHECK(ticks_below(lr, 400).all[1].at == -4);
  CHECK(words_of(ticks_below({"", {20, 70}, true}, 180)) == Words{"20", "50"});
  CHECK(std::isnan(place(lr, 0)));
}

TEST_CASE("an axis around one value has a tick there", "[plot][axis]") {
  const double value = GENERATE(0.0, 3.0, -1e-9, 1e17);
  const bool is_log = GENERATE(false, true);
  if (is_log && value <= 0) return;
  const Ticks ticks = ticks_below({"", {value, value}, is_log}, 200);
  CHECK(!ticks.all.empty());
  CHECK(ticks.all.size() < 10);
}

TEST_CASE("values that differ by their last bit are one to an axis", "[plot][axis]") {
  CHECK(ticks_beside({"", {1, std::nextafter(1.0, 2.0)}}, 300).all.size() < 20);
}

TEST_CASE("words stand beside one another, slanted where they are wide", "[plot][axis]") {
  const Ticks few = ticks_below(axis_of_words("opt", {"sgd", "adam"}), 180);
  CHECK(!few.is_slanted);
  CHECK(words_of(few) == Words{"sgd", "adam"});
  const Ticks wide = ticks_below(axis_of_words("opt", {"a very long category name", "another of these"}), 180);
  CHECK(wide.is_slanted);
  CHECK(words_of(wide) == Words{"a very…y name", "anothe… these"});
  CHECK(ticks_below(axis_of_words("x", std::vector<std::string>(100, "word")), 160).all.size() == 10);
}

TEST_CASE("gnuplot's formats in words of an axis are letters", "[plot][axis]") {
  CHECK(tick_list({{0, "5 %"}, {1, "%g's"}}) == "('5 %%' 0, '%%g''s' 1)");
  Scatter chart = sample();
  chart.panels[0].x = axis_of_words("x", {"%g $a `date` @b_c^{d}", "back\\slash"});
  const std::string svg = drawn(scatter(chart), Form::svg);
  CHECK(has(svg, "%g $a `date` @b_c^{d}"));
  CHECK(has(svg, "back\\slash"));
}

TEST_CASE("marks beyond their axis are triangles at its edge, infinite ones keep their shape", "[plot][scatter]") {
  const Picture picture = scatter(sample());
  CHECK(has(picture.program, "$marks0 << EOD\n1 5\nEOD\n"));
  CHECK(has(picture.program, "$marks1 << EOD\n2 6\n3 10.6\nEOD\n"));
  CHECK(has(picture.program, "$marks1_above << EOD\n3 10.6\nEOD\n"));
  CHECK(has(picture.program, "$marks1_below << EOD\n2 -0.6\nEOD\n"));
  CHECK(has(picture.program, "$marks1_above using 1:2 with points pt 9"));
  CHECK(has(drawn(picture, Form::svg), "A title"));
}

TEST_CASE("lines are interrupted by NaN, and go where logarithms are", "[plot][scatter]") {
  Scatter chart = sample();
  chart.panels[0].y.is_log = true;
  chart.panels[0].y.range = {1, 100};
  chart.panels[0].traces.push_back({1, 2, true, {{1, 10}, {1, NAN}, {2, 100}}});
  const Picture picture = scatter(chart);
  CHECK(has(picture.program, "$trace0 << EOD\n1 1\n\n2 2\nEOD\n"));
  CHECK(has(picture.program, "$trace0 using 1:2 with steps lw 2"));
  CHECK(!drawn(picture, Form::svg).empty());
}

TEST_CASE("the key has the groups that are used", "[plot][scatter]") {
  Scatter chart = sample();
  chart.panels[0].marks[0].clear();
  const Picture picture = scatter(chart);
  CHECK(!has(picture.program, "'grey'"));
  CHECK(has(picture.program, "'blue'"));
}

TEST_CASE("panels without a mark are drawn, on axes of their own", "[plot][scatter]") {
  Scatter chart{"s", "t", "", {}, {}, 180, 150, false};
  for (int i = 0; i < 7; ++i) chart.panels.push_back({{"x" + std::to_string(i), {0, 1}}, {"y", {0, 1}}, {}, {}});
  const std::string svg = drawn(scatter(chart), Form::svg);
  CHECK(has(svg, "x6"));
}

TEST_CASE("bars have their intervals and numbers", "[plot][bars]") {
  const Picture picture = bars({"b", "Shares", "", "share", {{"lr", {0.5, 0.25, 0.75}}, {"it's 5 %", {0, 0, 0}}}});
  CHECK(has(picture.program, "$bars << EOD\n0.5 2 0 0.5 1.68 2.32 0.25 0.75\n0 1 0 0 0.68 1.32 0 0\nEOD\n"));
  CHECK(has(picture.program, "'0.50  [0.25, 0.75]' 2"));
  CHECK(has(drawn(picture, Form::svg), "it's 5 %"));
}

}  // namespace scatter_test
