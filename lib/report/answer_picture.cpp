// SPDX-License-Identifier: Apache-2.0
#include "report/answer_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "plot/lines.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostWords = 12;

std::string word_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Values of x, each once, in the order of numbers, or of rows where some are none; empty: they are placed as numbers.
std::vector<Json> row_words(const std::vector<std::vector<Json>>& rows) {
  std::vector<Json> words;
  for (const std::vector<Json>& row : rows) {
    if (std::find(words.begin(), words.end(), row[0]) == words.end()) words.push_back(row[0]);
  }
  const bool are_numbers = std::all_of(words.begin(), words.end(), [](const Json& word) { return word.is_number(); });
  if (are_numbers && words.size() > kMostWords) return {};
  if (are_numbers) std::sort(words.begin(), words.end());
  return words;
}

/// The one of that name, which is added at the end if there is none.
template <class Named>
Named& named(std::vector<Named>& all, std::string Named::*name, const std::string& wanted) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.*name == wanted; });
  if (found != all.end()) return *found;
  all.emplace_back().*name = wanted;
  return all.back();
}

void sort_points(plot::Line& line) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < line.x.size(); ++i) points.emplace_back(line.x[i], line.y[i]);
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < points.size(); ++i) std::tie(line.x[i], line.y[i]) = points[i];
}

}  // namespace

plot::Picture picture_of(const Table& answer, const std::string& name) {
  const std::vector<std::string>& columns = answer.columns;
  if (columns.size() != 3 && columns.size() != 4) {
    throw Error(ErrorKind::usage, fmt::format("lines are not drawn of {} columns", columns.size()),
                "select x, y, the name of the line and, for several panels, that of the panel");
  }
  std::vector<std::vector<Json>> rows = answer.rows;
  std::erase_if(rows, [](const std::vector<Json>& row) { return !row[1].is_number(); });
  if (rows.empty()) throw Error(ErrorKind::usage, "there is no row with a number in its second column to draw");
  const std::vector<Json> words = row_words(rows);
  plot::Lines chart{name, fmt::format("{} by {}", columns[1], columns[0]), "", columns[0], columns[1], {}, {}};
  for (const Json& word : words) chart.x_words.push_back(word_of(word));
  for (const std::vector<Json>& row : rows) {
    plot::LinesPanel& panel = named(chart.panels, &plot::LinesPanel::title, columns.size() == 4 ? word_of(row[3]) : "");
    plot::Line& line = named(panel.lines, &plot::Line::name, word_of(row[2]));
    const auto at = std::find(words.begin(), words.end(), row[0]);
    line.x.push_back(words.empty() ? row[0].get<double>() : double(at - words.begin()));
    line.y.push_back(row[1].get<double>());
  }
  for (plot::LinesPanel& panel : chart.panels) std::for_each(panel.lines.begin(), panel.lines.end(), sort_points);
  return plot::lines(chart);
}

}  // namespace dlrun::report
