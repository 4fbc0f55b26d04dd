// SPDX-License-Identifier: Apache-2.0
// Contours and parallel coordinates: interpolation, programs, and what gnuplot draws of them.
#include <cmath>

#include "plot/contour.hpp"
#include "plot/gnuplot.hpp"
#include "plot/parallel.hpp"
#include "support/catch.hpp"

namespace surface_test {

using namespace dlrun::plot;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Contour sample() {
  Contour chart{"c", "Values", "", {"x", {0, 1}}, {"y", {0, 1}}, {"value", {0, 10}}, false, {}, {}, {}};
  chart.groups = {{"trial", kText, Shape::disc}};
  chart.points = {{0.25, 0.5, 0}, {0.75, 0.5, 10}};
  chart.marks = {{{0.25, 0.5}, {0.75, 0.5}}};
  return chart;
}

}  // namespace

TEST_CASE("between two points the value is their mean, at a point its own", "[plot][contour]") {
  Contour chart = sample();
  for (Axis* axis : {&chart.x, &chart.y, &chart.value}) axis->is_tight = true;
  const auto grid = interpolated(chart, 101);
  CHECK(grid[50][50] == Approx(5));
  CHECK(grid[50][25] == Approx(0).margin(0.01));
  CHECK(grid[50][75] == Approx(10).margin(0.01));
  // At (0.5 + 0.125, 0.5) of cells of width 1/8: squares 9/64 and 1/64, each 1/64 more, weights as 1/100 to 1/4.
  CHECK(interpolated(chart, 8)[3][4] == Approx(10 * (1 / 8.0) / (1 / 8.0 + 1 / 200.0)).epsilon(0.2));
}

TEST_CASE("far values do not spread beyond the axis, and NaN is no point", "[plot][contour]") {
  Contour chart = sample();
  chart.value.is_tight = true;
  chart.points.push_back({0.5, 0.5, 1e12});
  chart.points.push_back({NAN, 0.5, 5});
  for (const auto& row : interpolated(chart, 20)) {
    for (const double value : row) CHECK((value >= 0 && value <= 10));
  }
}

TEST_CASE("a word has its own points alone", "[plot][contour]") {
  Contour chart = sample();
  chart.x = axis_of_words("opt", {"sgd", "adam", "none"});
  chart.points = {{0, 0.5, 0}, {1, 0.5, 10}};
  const auto grid = interpolated(chart, 10);
  REQUIRE(grid.size() == 10);
  REQUIRE(grid[0].size() == 3);
  CHECK(grid[9][0] == 0);
  CHECK(grid[9][1] == 10);
  CHECK(std::isnan(grid[9][2]));
  const std::string svg = drawn(contour(chart), Form::svg);
  CHECK(has(svg, "adam"));
  CHECK(has(svg, "value"));
}

TEST_CASE("a contour of equal values has one colour", "[plot][contour]") {
  Contour chart = sample();
  chart.points = {{0.1, 0.1, 3}, {0.7, 0.3, 3}, {0.9, 0.8, 3}};
  chart.value.range = {3, 3};
  const std::string program = contour(chart).program;
  const std::string bands = program.substr(program.find("$bands << EOD\n"));
  std::size_t rows = 0;
  for (std::size_t at = bands.find(" 5\n"); at != std::string::npos; at = bands.find(" 5\n", at + 1)) ++rows;
  CHECK(rows == 110);  // each row of the grid is one rectangle of the middle band
}

TEST_CASE("a contour without a point is drawn", "[plot][contour]") {
  Contour chart = sample();
  chart.points.clear();
  chart.marks.clear();
  CHECK(has(drawn(contour(chart), Form::svg), "Values"));
}

TEST_CASE("lines cross their axes, below those on which they have no value", "[plot][parallel]") {
  Parallel chart{"p", "Trials", "",          {{"grey", kQuiet, Shape::square}, {"best", kVermilion, Shape::square}},
                 {},  {},       "not active"};
  chart.axes = {{"lr", {0.01, 1}, true, {}, false, true},
                axis_of_words("opt", {"sgd", "it's"}),
                {"acc", {0, 1}, false, {}, false, true}};
  chart.lines = {{0, {0.1, 0, 0.5}}, {1, {NAN, 1, 1}}};
  const Picture picture = parallel(chart);
  CHECK(has(picture.program, "$lines0 << EOD\n0 0.5\n1 0.25\n2 0.5\n\nEOD\n"));
  CHECK(has(picture.program, "$lines1 << EOD\n0 -0.12\n1 0.75\n2 1\n\nEOD\n"));
  CHECK(has(drawn(picture, Form::svg), "not active"));
  chart.lines.pop_back();
  CHECK(!has(drawn(parallel(chart), Form::svg), "not active"));
}

TEST_CASE("values beyond their axis pass at its end", "[plot][parallel]") {
  Parallel chart{"p", "Trials", "", {{"all", kQuiet, Shape::square}}, {}, {}, ""};
  chart.axes = {{"a", {0, 1}, false, {}, false, true}, {"b", {0, 1}, false, {}, false, true}};
  chart.lines = {{0, {-5, 1e9}}};
  CHECK(has(parallel(chart).program, "$lines0 << EOD\n0 0\n1 1\n\nEOD\n"));
}

}  // namespace surface_test
