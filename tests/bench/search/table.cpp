// SPDX-License-Identifier: Apache-2.0
#include "search/table.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "util/json.hpp"

namespace dlrun::bench {

namespace {

using space::Choice;
using space::Parameter;
using space::Type;

Parameter parameter_of(const Json& json) {
  Parameter p{.name = json.at("name").get<std::string>()};
  if (json.contains("choices")) {
    p.type = Type::categorical;
    for (int i = 0; i < json.at("choices").get<int>(); ++i) p.choices.emplace_back(i);
  } else {
    p.type = json.value("integer", false) ? Type::integer : Type::real;
    p.low = json.at("low").get<double>();
    p.high = json.at("high").get<double>();
    p.log = json.value("log", false);
  }
  if (json.contains("when")) {
    p.when = {{json["when"][0].get<std::size_t>(), {Choice{json["when"][1].get<std::uint32_t>()}}}};
  }
  return p;
}

space::Space space_of(const std::string& line) {
  std::vector<Parameter> parameters;
  for (const Json& json : Json::parse(line)) parameters.push_back(parameter_of(json));
  return space::Space(parameters);
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells, cell, ',');) {
    numbers.push_back(cell.empty() ? std::numeric_limits<double>::quiet_NaN() : std::stod(cell));
  }
  return numbers;
}

space::Value value_of(const Parameter& p, double number) {
  if (std::isnan(number)) return {};
  if (p.type == Type::categorical) return Choice{static_cast<std::uint32_t>(number)};
  if (p.type == Type::integer) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

Table::Table(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("no table of learning curves: " + file);
  space_ = space_of(line);
  while (std::getline(in, line)) {
    const auto numbers = numbers_of(line);
    if (numbers.size() <= space_.size()) throw std::runtime_error("a line without errors: " + line);
    space::Values values;
    for (std::size_t i = 0; i < space_.size(); ++i) values.push_back(value_of(space_.parameters()[i], numbers[i]));
    rows_.push_back(coordinates(values));
    curves_.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(space_.size()), numbers.end());
    if (curves_.back().size() != curves_[0].size()) throw std::runtime_error("a line of another length: " + line);
  }
}

std::vector<double> Table::coordinates(const space::Values& values) const {
  std::vector<double> out;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const auto* choice = std::get_if<Choice>(&values[i]);
    const bool is_active = !std::holds_alternative<std::monostate>(values[i]);
    if (choice) out.push_back(choice->index);
    if (!choice) out.push_back(is_active ? space_.to_unit(i, values[i]) : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

std::size_t Table::take_nearest(const space::Values& values, std::vector<bool>& taken) const {
  const auto point = coordinates(values);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    double distance = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const double step = point[i] - rows_[row][i];
      if (std::isnan(step)) continue;
      distance += space_.parameters()[i].type == Type::categorical ? double(step != 0) : step * step;
    }
    if (taken[row] || distance >= least) continue;
    least = distance;
    best = row;
  }
  taken[best] = true;
  return best;
}

}  // namespace dlrun::bench
