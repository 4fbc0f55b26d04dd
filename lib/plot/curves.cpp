// SPDX-License-Identifier: Apache-2.0
#include "plot/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "plot/palette.hpp"
#include "plot/panels.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

/// Finite values of the runs at each step.
using BySteps = std::map<double, std::vector<double>>;

BySteps by_steps(const std::vector<Curve>& runs) {
  BySteps all;
  for (const Curve& run : runs) {
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      if (std::isfinite(run.values[i])) all[run.steps[i]].push_back(run.values[i]);
    }
  }
  return all;
}

/// step, mean, lowest, highest
std::vector<std::vector<double>> rows_of(const BySteps& steps) {
  std::vector<std::vector<double>> rows;
  for (const auto& [step, values] : steps) {
    double sum = 0;
    for (const double value : values) sum += value;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    rows.push_back({step, sum / double(values.size()), *low, *high});
  }
  return rows;
}

struct Extent {
  Range x{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  Range y = x;
  void widen(Range& range, double value) const {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  void include(const std::vector<std::vector<double>>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      widen(x, rows[i][0]);
      const bool is_late = 4 * i >= rows.size() || rows.size() < 4;
      for (std::size_t k = 1; is_late && k < 4; ++k) widen(y, rows[i][k]);
    }
  }
};

std::string band(const std::string& block, const char* color) {
  return fmt::format("${} using 1:3:4 with filledcurves fillstyle transparent solid 0.25 noborder lc rgb '{}' notitle",
                     block, color);
}

std::string line(const std::string& block, const char* color) {
  return fmt::format("${} using 1:2 with lines lw 2 lc rgb '{}' notitle", block, color);
}

}  // namespace

Picture curves(const Curves& chart) {
  Extent extent;
  Panels all{chart.name, chart.title, chart.remark, chart.x_axis, chart.y_axis};
  std::vector<std::vector<std::vector<double>>> first, second;
  for (const CurvesPanel& panel : chart.panels) {
    all.titles.push_back(panel.title);
    first.push_back(rows_of(by_steps(panel.first)));
    second.push_back(rows_of(by_steps(panel.second)));
    extent.include(first.back());
    extent.include(second.back());
  }
  all.x = extent.x.low < extent.x.high ? extent.x : Range{0, 1};
  all.y = extent.y.low <= extent.y.high ? with_room(extent.y) : Range{0, 1};
  all.key = {{chart.first_word, kQuiet, Shape::square}, {chart.second_word, kVermilion, Shape::square}};
  return panels(all, [&](std::size_t i) {
    return data("first", first[i]) + data("second", second[i]) +
           fmt::format("plot {}, {}, {}, {}, {}\n", kNothing, band("first", kQuiet), band("second", kVermilion),
                       line("first", kQuiet), line("second", kVermilion));
  });
}

}  // namespace dlrun::plot
