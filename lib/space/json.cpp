// SPDX-License-Identifier: Apache-2.0
// Values as JSON: in the log, in the store, for workers. Numbers come back bit by bit.
#include <fmt/format.h>

#include <cmath>

#include "space/domain.hpp"
#include "space/space.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::space {

namespace {

std::string values_text(const Parameter& p) {
  if (has_choices(p)) return "one of " + to_text(Json(p.choices));
  const std::string step = p.step ? fmt::format(" in steps of {}", *p.step) : "";
  return fmt::format("{} from {} to {}{}", p.type == Type::integer ? "a whole number" : "a number", p.low, p.high,
                     step);
}

std::optional<Value> choice_of(const Parameter& p, const Json& json) {
  for (const bool exact : {true, false}) {  // 1 finds the choice 1 before the choice 1.0
    for (std::uint32_t i = 0; i < p.choices.size(); ++i) {
      const Json& choice = p.choices[i];
      if (choice == json && (!exact || choice.type() == json.type())) return Choice{i};
    }
  }
  return std::nullopt;
}

std::optional<Value> number_of(const Space& space, std::size_t index, const Json& json) {
  const Parameter& p = space.parameters()[index];
  if (!json.is_number()) return std::nullopt;
  const auto x = json.get<double>();
  if (!(x >= p.low && x <= p.high)) return std::nullopt;
  if (p.type == Type::integer) {
    if (x != std::floor(x)) return std::nullopt;
    const auto v = static_cast<std::int64_t>(x);
    return space.contains(index, v) ? std::optional<Value>(v) : std::nullopt;
  }
  if (!p.step) return x + 0.0;
  // A person may write 0.30000000000000004 for the grid's 0.3: the nearest step is meant, within rounding.
  const Value nearest = space.value_at(index, space.index_of(index, x));
  return std::abs(std::get<double>(nearest) - x) <= 1e-9 * *p.step ? std::optional<Value>(nearest) : std::nullopt;
}

}  // namespace

Json Space::to_json(std::size_t index, const Value& value) const {
  if (const auto* choice = std::get_if<Choice>(&value)) return parameters_[index].choices[choice->index];
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return nullptr;
}

Value Space::from_json(std::size_t index, const Json& json) const {
  const Parameter& p = parameters_[index];
  const auto value = has_choices(p) ? choice_of(p, json) : number_of(*this, index, json);
  if (value) return *value;
  if (json.is_null()) return std::monostate();
  throw Error(ErrorKind::usage,
              fmt::format("{} is no value of parameter '{}', which is {}", to_text(json), p.name, values_text(p)));
}

Json Space::params(const Values& values) const {
  Json json = Json::object();
  for (std::size_t i = 0; i < size(); ++i) {
    if (!std::holds_alternative<std::monostate>(values[i])) json[parameters_[i].name] = to_json(i, values[i]);
  }
  return json;
}

Json Space::sets(const Values& values) const {
  Json json = Json::object();
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    const Parameter& p = parameters_[i];
    if (const auto* choice = std::get_if<Choice>(&values[i]); choice != nullptr && !p.edits.empty()) {
      json.update(p.edits[choice->index]);
    } else if (!p.at.empty()) {
      json[p.at] = to_json(i, values[i]);
    }
  }
  return json;
}

}  // namespace dlrun::space
