// SPDX-License-Identifier: Apache-2.0
// Parameters of a study as axes, and the values of trials on them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/script.hpp"
#include "report/picture_trials.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

std::vector<std::string> words_of(std::string_view choices) {
  std::vector<std::string> words;
  const Json list = Json::parse(choices, nullptr, false);
  if (!list.is_array()) return words;
  for (const Json& choice : list) words.push_back(choice.is_string() ? choice.get<std::string>() : to_text(choice));
  return words;
}

/// Every parameter with more than one value, in the order of the space.
std::vector<ShownParameter> varying_parameters(const OpenedStudy& study) {
  std::vector<ShownParameter> all;
  storage::Statement rows =
      study.query("SELECT parameter, name, low, high, log, choices, type FROM dl_parameter ORDER BY parameter");
  while (rows.step()) {
    ShownParameter one{rows.integer(0), {std::string(rows.text(1)), {0, 1}}, !rows.is_null(5)};
    if (one.has_words) {
      one.axis = plot::axis_of_words(one.axis.title, words_of(rows.text(5)));
    } else {
      one.axis.range = {rows.real(2), rows.real(3)};
      one.axis.is_whole = rows.text(6) == "int";
      one.axis.is_log = rows.integer(4) != 0 && rows.real(2) > 0;
    }
    const bool varies = one.has_words ? one.axis.words.size() > 1 : one.axis.range.low < one.axis.range.high;
    if (varies && rows.text(6) != "constant") all.push_back(std::move(one));
  }
  return all;
}

using Iterator = std::vector<ShownParameter>::const_iterator;

Iterator named(const std::vector<ShownParameter>& all, const std::string& name) {
  return std::find_if(all.begin(), all.end(), [&](const ShownParameter& one) { return one.axis.title == name; });
}

std::vector<ShownParameter> wished(const OpenedStudy& study, const std::vector<ShownParameter>& all,
                                   const std::vector<std::string>& names) {
  std::vector<ShownParameter> out;
  std::vector<std::string> known;
  for (const ShownParameter& one : all) known.push_back(one.axis.title);
  for (const std::string& name : names) {
    const auto found = named(all, name);
    if (found != all.end()) {
      out.push_back(*found);
      continue;
    }
    const std::string near = nearest_name(name, known);
    throw Error(
        ErrorKind::usage, fmt::format("study '{}' has no parameter '{}' that varies", study.name, name),
        near.empty() ? fmt::format("it has {}", fmt::join(known, ", ")) : fmt::format("did you mean '{}'?", near));
  }
  return out;
}

/// Parameters as their importances rank them; in the order of the space where nothing ranks them.
std::vector<ShownParameter> ranked(const OpenedStudy& study, const std::vector<ShownParameter>& all,
                                   const std::string& objective) {
  std::vector<ShownParameter> out;
  const Table table = importance_of(study, "fanova", objective).front();
  for (const std::vector<Json>& row : table.rows) {
    const auto found = named(all, row[0].get<std::string>());
    if (found != all.end()) out.push_back(*found);
  }
  return out.size() == all.size() ? out : all;
}

bool fits(const plot::Axis& axis, double value) {
  if (!axis.words.empty()) return value >= 0 && value < double(axis.words.size());
  return std::isfinite(value) && (!axis.is_log || value > 0);
}

}  // namespace

std::size_t count_parameters(const OpenedStudy& study) { return varying_parameters(study).size(); }

std::vector<ShownParameter> shown_parameters(const OpenedStudy& study, const PictureWishes& wishes, std::size_t most) {
  std::vector<ShownParameter> all = varying_parameters(study);
  if (!wishes.parameters.empty()) return wished(study, all, wishes.parameters);
  if (all.size() > 1) all = ranked(study, all, wishes.objective);
  if (all.size() > most) all.resize(most);
  return all;
}

std::vector<std::vector<double>> values_of(const OpenedStudy& study, const std::vector<ShownTrial>& trials,
                                           std::vector<ShownParameter>& parameters) {
  std::vector<std::vector<double>> all;
  storage::Statement rows = study.query("SELECT parameter, value FROM dl_param WHERE trial = ?");
  for (const ShownTrial& trial : trials) {
    std::vector<double> values(parameters.size(), std::numeric_limits<double>::quiet_NaN());
    rows.bind(trial.number);
    while (rows.step()) {
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (parameters[p].number != rows.integer(0) || !fits(parameters[p].axis, rows.real(1))) continue;
        values[p] = rows.real(1);
        plot::Range& range = parameters[p].axis.range;
        if (!parameters[p].has_words) range = {std::min(range.low, values[p]), std::max(range.high, values[p])};
      }
    }
    all.push_back(std::move(values));
  }
  return all;
}

double beside(std::int64_t trial) {
  constexpr double kGolden = 0.6180339887498949;
  double whole = 0;
  return 0.5 * std::modf(double(trial + 1) * kGolden, &whole) - 0.25;
}

}  // namespace dlrun::report
