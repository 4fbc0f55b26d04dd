// SPDX-License-Identifier: Apache-2.0
#include "space/carry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "util/json.hpp"

namespace dlrun::space {

namespace {

bool is_number(const Parameter& p) { return p.type == Type::real || p.type == Type::integer; }

std::string choice_text(const Json& choice) { return choice.is_string() ? choice.get<std::string>() : to_text(choice); }

/// The value of `to` that a JSON value of another domain stands for; monostate: none.
Value value_of(const Space& to, std::size_t index, const Json& json) {
  const Parameter& p = to.parameters()[index];
  if (!is_number(p)) {
    const auto found = std::find(p.choices.begin(), p.choices.end(), json);
    if (found == p.choices.end()) return std::monostate();
    return Choice{static_cast<std::uint32_t>(found - p.choices.begin())};
  }
  if (!json.is_number()) return std::monostate();
  Value value = json.get<double>();
  if (p.type == Type::integer) {
    if (!json.is_number_integer()) return std::monostate();
    value = json.get<std::int64_t>();
  }
  return to.contains(index, value) ? value : Value();
}

bool shares_a_choice(const Parameter& chosen, const Space& other, std::size_t index) {
  return std::any_of(chosen.choices.begin(), chosen.choices.end(), [&](const Json& choice) {
    return !std::holds_alternative<std::monostate>(value_of(other, index, choice));
  });
}

bool overlap(const Parameter& a, const Parameter& b) { return std::max(a.low, b.low) <= std::min(a.high, b.high); }

Meeting::Kind kind_of(const Space& from, std::size_t there, const Space& to, std::size_t here) {
  using Kind = Meeting::Kind;
  const Parameter& a = from.parameters()[there];
  const Parameter& b = to.parameters()[here];
  if (is_number(a) && is_number(b)) {
    if (a.type != b.type) return Kind::contradictory;
    return overlap(a, b) ? Kind::shared : Kind::disjoint;
  }
  const bool is_by_value = a.type == Type::constant || b.type == Type::constant || (!is_number(a) && !is_number(b));
  if (!is_by_value) return Kind::contradictory;
  const bool shares = is_number(b) ? shares_a_choice(a, to, here) : shares_a_choice(b, from, there);
  return shares ? Kind::shared : Kind::disjoint;
}

}  // namespace

std::string domain_text(const Parameter& p) {
  if (is_number(p)) {
    const char* type = p.type == Type::real ? "float" : "int";
    return fmt::format("{} {:g} to {:g}{}{}", type, p.low, p.high, p.log ? ", log" : "",
                       p.step ? fmt::format(", step {:g}", *p.step) : "");
  }
  std::vector<std::string> texts;
  for (const Json& choice : p.choices) texts.push_back(choice_text(choice));
  return fmt::format("{} {}", p.type == Type::constant ? "constant" : "one of", fmt::join(texts, ", "));
}

std::vector<Meeting> meetings(const Space& from, const Space& to) {
  std::vector<Meeting> out;
  for (std::size_t i = 0; i < to.size(); ++i) {
    Meeting meeting{to.parameters()[i].name, Meeting::Kind::missing, "not there"};
    if (const auto there = from.find(meeting.name)) {
      meeting.kind = kind_of(from, *there, to, i);
      meeting.text =
          fmt::format("{} there, {} here", domain_text(from.parameters()[*there]), domain_text(to.parameters()[i]));
      if (meeting.kind == Meeting::Kind::shared) meeting.text.clear();
    }
    out.push_back(std::move(meeting));
  }
  return out;
}

Carried carried(const Space& from, const Values& values, const Space& to) {
  Carried out{Values(to.size()), {}};
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::string& name = to.parameters()[i].name;
    const auto there = from.find(name);
    if (!there) continue;
    const bool is_set = !std::holds_alternative<std::monostate>(values[*there]);
    if (is_set != to.is_active(i, out.values)) {
      out.outside = fmt::format("'{}' {}", name, is_set ? "would not be active" : "has no value");
      return out;
    }
    if (!is_set) continue;
    out.values[i] = value_of(to, i, from.to_json(*there, values[*there]));
    if (!std::holds_alternative<std::monostate>(out.values[i])) continue;
    out.outside = fmt::format("'{}' is outside of its domain", name);
    return out;
  }
  if (!to.satisfies(out.values)) out.outside = "outside of the constraints";
  return out;
}

Values widened(const Space& to, Values values, const Values& defaults) {
  const std::size_t before = values.size();
  for (std::size_t i = before; i < to.size(); ++i) {
    values.emplace_back();
    if (to.is_active(i, values)) values[i] = defaults.at(i - before);
  }
  return values;
}

}  // namespace dlrun::space
