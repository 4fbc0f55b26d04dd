// SPDX-License-Identifier: Apache-2.0
#include "guest/space_json.hpp"

#include "guest/plain_values.hpp"

namespace dlrun::guest {

using space::Clause;
using space::Condition;
using space::Constraint;
using space::Forbidden;
using space::Linear;
using space::Parameter;
using space::Term;

namespace {

using Parameters = std::vector<Parameter>;

std::vector<space::Value> values_from(const Parameter& parameter, const Json& json) {
  std::vector<space::Value> out;
  for (const Json& value : json) out.push_back(typed(parameter, value.get<double>()).value());
  return out;
}

Json to_json(const Parameter& p) {
  Json when = Json::array();
  for (const Condition& condition : p.when) when.push_back({condition.parameter, plain(condition.any_of)});
  return {{"name", p.name}, {"type", int(p.type)},  {"low", p.low}, {"high", p.high},
          {"log", p.log},   {"choices", p.choices}, {"when", when}, {"step", p.step ? Json(*p.step) : Json()}};
}

Parameter parameter_from(const Json& json, const Parameters& earlier) {
  Parameter p{.name = json.at("name"),
              .at = {},
              .type = space::Type(json.at("type").get<int>()),
              .low = json.at("low"),
              .high = json.at("high"),
              .log = json.at("log"),
              .step = {},
              .choices = json.at("choices").get<std::vector<Json>>(),
              .when = {},
              .edits = {}};
  if (json.at("step").is_number()) p.step = json["step"].get<double>();
  for (const Json& condition : json.at("when")) {
    const auto index = condition.at(0).get<std::size_t>();
    p.when.push_back({index, values_from(earlier.at(index), condition.at(1))});
  }
  return p;
}

Json to_json(const Constraint& constraint) {
  Json parts = Json::array();
  if (const auto* sum = std::get_if<Linear>(&constraint.rule)) {
    for (const Term& term : sum->terms) parts.push_back({term.parameter, term.factor});
    return {{"text", constraint.text}, {"sum", parts}, {"relation", int(sum->relation)}, {"bound", sum->bound}};
  }
  for (const Clause& clause : std::get<Forbidden>(constraint.rule).all_of) {
    const Json range = clause.range ? Json({clause.range->first, clause.range->second}) : Json();
    parts.push_back({clause.parameter, plain(clause.any_of), range});
  }
  return {{"text", constraint.text}, {"forbidden", parts}};
}

Linear linear_from(const Json& json) {
  Linear out{.terms = {}, .relation = space::Relation(json.at("relation").get<int>()), .bound = json.at("bound")};
  for (const Json& term : json.at("sum")) out.terms.push_back({term.at(0), term.at(1)});
  return out;
}

Forbidden forbidden_from(const Json& json, const Parameters& parameters) {
  Forbidden out;
  for (const Json& part : json.at("forbidden")) {
    const auto index = part.at(0).get<std::size_t>();
    Clause clause{index, values_from(parameters.at(index), part.at(1)), {}};
    if (part.at(2).is_array()) clause.range = {part[2].at(0).get<double>(), part[2].at(1).get<double>()};
    out.all_of.push_back(std::move(clause));
  }
  return out;
}

}  // namespace

Json space_to_json(const space::Space& space) {
  Json parameters = Json::array(), constraints = Json::array();
  for (const Parameter& p : space.parameters()) parameters.push_back(to_json(p));
  for (const Constraint& constraint : space.constraints()) constraints.push_back(to_json(constraint));
  return {{"parameters", parameters}, {"constraints", constraints}};
}

space::Space space_from_json(const Json& json) {
  Parameters parameters;
  for (const Json& p : json.at("parameters")) parameters.push_back(parameter_from(p, parameters));
  std::vector<Constraint> constraints;
  for (const Json& c : json.at("constraints")) {
    Constraint out{c.at("text"), {}};
    if (c.contains("sum")) {
      out.rule = linear_from(c);
    } else {
      out.rule = forbidden_from(c, parameters);
    }
    constraints.push_back(std::move(out));
  }
  return space::Space(std::move(parameters), std::move(constraints));
}

}  // namespace dlrun::guest
