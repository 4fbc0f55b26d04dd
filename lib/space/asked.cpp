// SPDX-License-Identifier: Apache-2.0
#include "space/asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "space/feasible_draw.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::space {

namespace {

AskedFault unknown(const Space& space, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  const std::string nearest = nearest_name(name, names);
  return {name, fmt::format("there is no parameter '{}'", name),
          nearest.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                          : fmt::format("did you mean '{}'?", nearest)};
}

/// The values of its conditions must be asked for too: they are not guessed.
std::vector<AskedFault> faults_of_conditions(const Space& space, const Values& values) {
  std::vector<AskedFault> faults;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    for (const Condition& c : space.parameters()[i].when) {
      if (std::find(c.any_of.begin(), c.any_of.end(), values[c.parameter]) != c.any_of.end()) continue;
      Json any_of = Json::array();
      for (const Value& value : c.any_of) any_of.push_back(space.to_json(c.parameter, value));
      const std::string& on = space.parameters()[c.parameter].name;
      faults.push_back(
          {space.parameters()[i].name,
           fmt::format("'{}' is active only where '{}' is {}", space.parameters()[i].name, on,
                       to_text(any_of.size() == 1 ? any_of[0] : any_of)),
           std::holds_alternative<std::monostate>(values[c.parameter])
               ? fmt::format("give '{}' as well", on)
               : fmt::format("give '{}' another value, or leave '{}' out", on, space.parameters()[i].name)});
    }
  }
  return faults;
}

/// Constraints that cannot hold together with these values, and of which each can be met without the others: what is
/// left after all that the conflict does not need.
std::vector<std::string> conflict(const Space& space, const Values& asked) {
  std::vector<Constraint> left = space.constraints();
  for (std::size_t i = 0; i < left.size();) {
    std::vector<Constraint> others = left;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const bool is_needed = others.empty() || FeasibleDraw(Space(space.parameters(), others)).completed(asked);
    if (is_needed) ++i;
    if (!is_needed) left = std::move(others);
  }
  std::vector<std::string> texts;
  for (const Constraint& constraint : left) texts.push_back("'" + constraint.text + "'");
  return texts;
}

std::vector<AskedFault> faults_of_all(const Space& space, const Values& asked) {
  try {
    if (FeasibleDraw(space).completed(asked)) return {};
    const std::vector<std::string> texts = conflict(space, asked);
    return {{"",
             fmt::format("no point with these values keeps {}{}", texts.size() > 1 ? "all of " : "",
                         fmt::join(texts, ", ")),
             ""}};
  } catch (const Error&) {
    return {{"", "whether a point with these values keeps the constraints cannot be decided: they are too entangled",
             "give the other values as well"}};
  }
}

}  // namespace

std::vector<AskedFault> faults_of_asked(const Space& space, const Json& asked) {
  std::vector<AskedFault> faults;
  Values values(space.size());
  for (const auto& [name, value] : asked.items()) {
    const auto parameter = space.find(name);
    if (!parameter) {
      faults.push_back(unknown(space, name));
      continue;
    }
    try {
      values[*parameter] = space.from_json(*parameter, value);
      if (value.is_null()) faults.push_back({name, fmt::format("a value of '{}' is missing", name), "leave it out"});
    } catch (const Error& fault) {
      faults.push_back({name, fault.what(), fault.hint()});
    }
  }
  if (asked.empty()) faults.push_back({"", "no value is asked for", "write NAME=VALUE, the others are filled in"});
  if (!faults.empty()) return faults;
  faults = faults_of_conditions(space, values);
  if (faults.empty() && !space.constraints().empty()) faults = faults_of_all(space, values);
  return faults;
}

Values asked_from_json(const Space& space, const Json& asked) {
  Values values(space.size());
  for (const auto& [name, value] : asked.items()) {
    const std::size_t parameter = space.find(name).value();
    values[parameter] = space.from_json(parameter, value);
  }
  return values;
}

bool is_complete(const Space& space, const Values& asked) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (std::holds_alternative<std::monostate>(asked[i]) && space.is_active(i, asked)) return false;
  }
  return true;
}

Json typed(const Space& space, std::size_t parameter, const std::string& text) {
  for (const Json& choice : space.parameters()[parameter].choices) {
    if (choice.is_string() ? choice.get<std::string>() == text : to_text(choice) == text) return choice;
  }
  const Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

}  // namespace dlrun::space
