// SPDX-License-Identifier: Apache-2.0
#include "spec/constraints_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "space/constraint.hpp"
#include "space/feasible.hpp"
#include "spec/linear.hpp"
#include "spec/space_section.hpp"

namespace dlrun::spec {

namespace {

using space::Clause;
using space::Constraint;
using space::Feasible;
using space::Question;
using space::Space;

constexpr std::size_t kMostConstraints = 100;
constexpr const char* kNeverMet = "this constraint is never met: it excludes every point of the space";
constexpr std::int64_t kSideWork = Feasible::kMostWork / 50;  ///< for what is only to be pointed out

std::string constraint_path(std::size_t constraint) { return join("constraints", std::to_string(constraint)); }

std::vector<std::string> parameter_names(const Space& space) {
  std::vector<std::string> names;
  for (const space::Parameter& p : space.parameters()) names.push_back(p.name);
  return names;
}

/// The place of a part of the text, where the source shows the text as it is.
document::Span part_of(const document::Span& whole, const std::string& text, std::size_t at, std::size_t length) {
  if (!whole.exists()) return whole;
  const std::string_view line = whole.source->line(whole.line);
  std::size_t start = static_cast<std::size_t>(whole.column) - 1;
  if (start < line.size() && (line[start] == '\'' || line[start] == '"')) ++start;
  if (line.substr(std::min(start, line.size()), text.size()) != text) return whole;
  document::Span out = whole;
  out.column = static_cast<int>(start + at) + 1;
  out.length = static_cast<int>(std::max<std::size_t>(length, 1));
  return out;
}

space::Linear linear_of(const std::string& text, const Space& space) {
  const Relation relation = parse_linear(text, parameter_names(space));
  space::Linear out{{}, relation.relation, relation.bound};
  for (const auto& [name, factor] : relation.factors) out.terms.push_back({*space.find(name), factor});
  return out;
}

void check_linear(const std::string& text, const std::string& path, const Space& space, Faults& faults) {
  try {
    for (const space::Term& term : linear_of(text, space).terms) {
      const space::Parameter& p = space.parameters()[term.parameter];
      if (space::is_number(p)) continue;
      faults.at(path, fmt::format("'{}' is no number", p.name), "write {forbid: …} for combinations of choices");
    }
  } catch (const LinearError& fault) {
    faults.spoil(path);
    faults.list.error(part_of(faults.value_of(path), text, fault.at, fault.length), fault.what(), fault.hint());
  }
}

/// {low: 0.1}: a missing end is the domain's.
Json normal_range(const Json& range, const space::Parameter& p, const std::string& path, Faults& faults) {
  Json out = {{"low", p.low}, {"high", p.high}};
  const bool is_range = space::is_number(p) && p.choices.empty();
  if (!is_range) {
    faults.at(path, fmt::format("'{}' has choices, not a range", p.name), "list the values");
    return out;
  }
  for (const auto& [key, value] : range.items()) {
    if (key != "low" && key != "high") {
      faults.at_key(join(path, key), "a range has no key " + document::quote(key), "its keys are low and high");
    } else if (!value.is_number()) {
      faults.at(join(path, key), fmt::format("'{}' must be a number", key));
    } else {
      out[key] = value.get<double>();
    }
  }
  const double low = out["low"].get<double>(), high = out["high"].get<double>();
  if (low > p.high || high < p.low) {
    faults.at(path, fmt::format("no value of '{}' lies there", p.name),
              fmt::format("it goes from {} to {}", p.low, p.high));
  } else if (low > high) {
    faults.at(path, fmt::format("low is {} and high is {}", low, high));
  }
  return out;
}

Json normal_values(const Json& values, std::size_t parameter, const std::string& path, const Space& space,
                   Faults& faults) {
  const space::Parameter& p = space.parameters()[parameter];
  if (values.is_object()) return normal_range(values, p, path, faults);
  Json out = Json::array();
  const bool is_one = !values.is_array();
  const Json list = is_one ? Json::array({values}) : values;
  if (list.empty()) faults.at(path, "the list names no value");
  if (p.choices.empty() && !space.count(parameter) && faults.list.error_count() == 0) {
    faults.at(path, fmt::format("a single value of '{}', which is continuous, is never met", p.name),
              "write a range: {low: …, high: …}");
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string one = is_one ? path : join(path, std::to_string(i));
    try {
      if (list[i].is_null()) throw Error(ErrorKind::usage, fmt::format("a value of '{}' is missing", p.name));
      out.push_back(space.to_json(parameter, space.from_json(parameter, list[i])));
    } catch (const Error& fault) {
      faults.at(one, fault.what(), fault.hint());
    }
  }
  return out;
}

Json normal_forbidden(const Json& forbidden, const std::string& path, const Space& space, Faults& faults) {
  Json out = Json::object();
  if (!forbidden.is_object() || forbidden.empty()) {
    faults.at(path, "'forbid' must be a map of parameters and values", "write {forbid: {opt: sgd, nesterov: true}}");
    return out;
  }
  for (const auto& [name, values] : forbidden.items()) {
    const auto parameter = space.find(name);
    if (!parameter) {
      faults.at_key(join(path, name), fmt::format("there is no parameter '{}'", name),
                    suggest(name, parameter_names(space)));
      continue;
    }
    out[name] = normal_values(values, *parameter, join(path, name), space, faults);
  }
  return out;
}

Json normal_constraint(const Json& json, const std::string& path, const Space& space, Faults& faults) {
  if (json.is_string()) {
    check_linear(json.get<std::string>(), path, space, faults);
    return json;
  }
  if (!json.is_object() || !json.contains("forbid") || json.size() != 1) {
    faults.at(path, "a constraint is a relation such as a < b, or {forbid: {…}}");
    return json;
  }
  return {{"forbid", normal_forbidden(json["forbid"], join(path, "forbid"), space, faults)}};
}

space::Forbidden forbidden_of(const Json& json, const Space& space) {
  space::Forbidden out;
  for (const auto& [name, values] : json.items()) {
    Clause clause{*space.find(name), {}, {}};
    if (values.is_object()) {
      clause.range = {values["low"].get<double>(), values["high"].get<double>()};
    } else {
      for (const Json& value : values) clause.any_of.push_back(space.from_json(clause.parameter, value));
    }
    out.all_of.push_back(std::move(clause));
  }
  return out;
}

// ---- what they mean together ----

std::vector<std::size_t> parameters_of(const Constraint& constraint) {
  std::vector<std::size_t> out;
  if (const auto* sum = std::get_if<space::Linear>(&constraint.rule)) {
    for (const auto& term : sum->terms) out.push_back(term.parameter);
  } else {
    for (const Clause& clause : std::get<space::Forbidden>(constraint.rule).all_of) out.push_back(clause.parameter);
  }
  return out;
}

class Meaning {
 public:
  Meaning(const Space& space, const std::vector<Constraint>& constraints, Faults& faults)
      : space_(space), constraints_(constraints), faults_(faults) {}

  void check() {
    for (std::size_t i = 0; i < constraints_.size(); ++i) check_alone(i);
    if (faults_.is_bad("constraints")) return;
    const auto is_met = Feasible(space_, space::question_of(constraints_)).exists();
    if (!is_met) return report_undecided();
    if (!*is_met) return report_contradiction();
    check_activity();
    for (std::size_t i = 0; i < constraints_.size(); ++i) warn_if_implied(i);
  }

 private:
  /// Constraints that stay undecided are given the benefit of the doubt.
  bool may_have(const Question& question) const { return Feasible(space_, question).exists(kSideWork).value_or(true); }
  bool can_hold(const std::vector<Constraint>& some) const { return may_have(space::question_of(some)); }
  bool can_break(const Constraint& constraint, const Question& others = {}) const {
    const auto questions = space::negations(constraint, others);
    return std::any_of(questions.begin(), questions.end(),
                       [&](const Question& question) { return may_have(question); });
  }

  void check_alone(std::size_t i) {
    Question together;
    together.active = parameters_of(constraints_[i]);
    if (!may_have(together)) {
      faults_.at(constraint_path(i),
                 "the parameters of this constraint are never active together, so it changes nothing", "remove it");
    } else if (!can_break(constraints_[i])) {
      faults_.at(constraint_path(i), "this constraint excludes nothing: it holds at every point of the space",
                 "remove it");
    } else if (!can_hold({constraints_[i]})) {
      faults_.at(constraint_path(i), kNeverMet);
    }
  }

  void report_undecided() {
    faults_.at_key("constraints",
                   "whether any point of the space keeps the constraints cannot be decided: they are too entangled",
                   "loosen equalities between whole numbers, take larger steps or fewer constraints");
  }

  /// Leaves constraints out one after another while the rest still contradicts itself: no part of the remainder does.
  void report_contradiction() {
    bool is_smallest = true;
    std::vector<std::size_t> left(constraints_.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    for (std::size_t k = left.size(); k-- > 0;) {
      std::vector<Constraint> without;
      for (std::size_t other = 0; other < left.size(); ++other) {
        if (other != k) without.push_back(constraints_[left[other]]);
      }
      const auto is_met = Feasible(space_, space::question_of(without)).exists(kSideWork);
      is_smallest &= is_met.has_value();
      if (!is_met.value_or(true)) left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (left.size() == 1) return faults_.at(constraint_path(left.front()), kNeverMet);
    document::Diagnostic fault{faults_.value_of(constraint_path(left.front())),
                               fmt::format("these {} constraints contradict each other", left.size()),
                               std::string("no point of the space meets them all") +
                                   (is_smallest ? ", and leaving out any one of them would do" : ""),
                               {},
                               false};
    for (std::size_t k = 1; k < left.size(); ++k) {
      fault.notes.push_back({faults_.value_of(constraint_path(left[k])), "and this one"});
    }
    faults_.list.add(std::move(fault));
    faults_.spoil("constraints");
  }

  void check_activity() {
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (space_.parameters()[i].when.empty()) continue;
      Question question = space::question_of(constraints_);
      question.active = {i};
      if (may_have(question)) continue;
      faults_.at(join(join("space", space_.parameters()[i].name), "when"),
                 fmt::format("'{}' is never active: the constraints exclude what its condition asks for",
                             space_.parameters()[i].name),
                 "remove it, or loosen the constraints");
    }
  }

  void warn_if_implied(std::size_t i) {
    std::vector<Constraint> others;
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      if (k != i) others.push_back(constraints_[k]);
    }
    if (!others.empty() && !can_break(constraints_[i], space::question_of(others))) {
      faults_.warn(constraint_path(i), "this constraint follows from the others");
    }
  }

  const Space& space_;
  const std::vector<Constraint>& constraints_;
  Faults& faults_;
};

}  // namespace

void check_constraints(Json& study, Faults& faults) {
  Json& list = study["constraints"];
  if (!list.is_array() || list.empty()) {
    const bool is_empty = list.is_array() && !faults.is_bad("constraints");
    if (is_empty) faults.at_key("constraints", "the list of constraints is empty", "remove it");
    study.erase("constraints");
    return;
  }
  if (list.size() > kMostConstraints) {
    return faults.at_key("constraints", fmt::format("there are more than {} constraints", kMostConstraints));
  }
  if (faults.is_bad("space") || faults.is_bad("constraints")) return;
  const Space space = make_space(study["space"]);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = normal_constraint(list[i], constraint_path(i), space, faults);
  if (faults.is_bad("constraints")) return;
  const auto constraints = make_constraints(list, space);
  Meaning(space, constraints, faults).check();
}

std::vector<Constraint> make_constraints(const Json& constraints, const Space& space) {
  std::vector<Constraint> out;
  for (const Json& json : constraints) {
    if (json.is_string()) {
      out.push_back({json.get<std::string>(), linear_of(json.get<std::string>(), space)});
    } else {
      out.push_back({"forbid " + to_text(json["forbid"]), forbidden_of(json["forbid"], space)});
    }
  }
  return out;
}

}  // namespace dlrun::spec
