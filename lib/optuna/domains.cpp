// SPDX-License-Identifier: Apache-2.0
#include "optuna/domains.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>

#include "optuna/names.hpp"
#include "util/error.hpp"

namespace dlrun::optuna {

using storage::OptunaParam;
using storage::OptunaTrial;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::usage, "parameter '" + name + "' " + why);
}

struct Distribution {
  std::string kind;
  Json attributes;
};

Distribution parse(const OptunaParam& param) {
  const Json json = parse_json(param.distribution, "the distribution of parameter '" + param.name + "'");
  const std::string name = json.value("name", std::string());
  const Json attributes = json.value("attributes", Json::object());
  if (name == "FloatDistribution") return {"float", attributes};
  if (name == "IntDistribution") return {"int", attributes};
  if (name == "CategoricalDistribution") return {"categorical", attributes};
  refuse(param.name, "has the distribution '" + name + "', which dlrun does not know");
}

std::optional<double> step_of(const Distribution& d) {
  const Json step = d.attributes.value("step", Json());
  const bool is_plain = d.kind == "int" && step.is_number() && step.get<double>() == 1;
  return step.is_number() && !is_plain ? std::optional(step.get<double>()) : std::nullopt;
}

/// Number with the 15 digits that people write: 0.3 for 0.30000000000000004. Grids of dlrun are made of these.
double readable(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  return std::strtod(text, nullptr);
}

/// A choice as dlrun has it: a number, a truth value or a text that no other choice has.
Json own_choice(const Json& original, const std::vector<Json>& taken) {
  Json own = original.is_null() ? Json("None") : original.is_structured() ? Json(to_text(original)) : original;
  while (std::find(taken.begin(), taken.end(), own) != taken.end())
    own = (own.is_string() ? own.get<std::string>() : to_text(own)) + "_";
  return own;
}

bool is_same(const Json& a, const Json& b) { return a.type() == b.type() && a == b; }

std::size_t place_of(const std::vector<Json>& list, const Json& item) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Json& other) { return is_same(other, item); });
  return std::size_t(found - list.begin());
}

void add_choices(Domain& domain, const Json& choices) {
  for (const Json& choice : choices) {
    if (place_of(domain.originals, choice) < domain.originals.size()) continue;
    domain.choices.push_back(own_choice(choice, domain.choices));
    domain.originals.push_back(choice);
  }
}

/// Widens the range. A step stays if both grids are one.
void add_range(Domain& domain, const Distribution& d, bool is_first) {
  const double low = d.attributes.at("low").get<double>(), high = d.attributes.at("high").get<double>();
  const std::optional<double> step = step_of(d);
  const bool log = d.attributes.value("log", false);
  if (is_first) {
    domain.low = low, domain.high = high, domain.step = step, domain.log = log;
    return;
  }
  const double gap = step && domain.step ? std::abs(std::remainder(low - domain.low, *step)) : 0;
  if (step != domain.step || gap > 1e-9 * step.value_or(1)) domain.step.reset();
  domain.low = std::min(domain.low, low), domain.high = std::max(domain.high, high);
  domain.log = domain.log && log;
}

/// Optuna takes enqueued values as they are: beyond the range, and beside the grid, within the rounding of numbers.
void add_value(Domain& domain, double value) {
  if (!std::isfinite(value)) return;
  if (domain.step) {
    const double noise = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(value), std::abs(domain.low));
    const double gap = std::abs(std::remainder(value - domain.low, *domain.step));
    if (gap > 1e-9 * *domain.step + noise) domain.step.reset();
  }
  domain.low = std::min(domain.low, value), domain.high = std::max(domain.high, value);
  domain.log = domain.log && domain.low > 0;
}

bool has(const OptunaTrial& trial, const std::string& original) {
  return std::any_of(trial.params.begin(), trial.params.end(), [&](const auto& p) { return p.name == original; });
}

Json own_value(const Domain& domain, const OptunaParam& param) {
  if (domain.kind == "int") return std::llround(param.value);
  if (domain.kind == "float" && !domain.step) return param.value;
  if (domain.kind == "float")
    return readable(domain.low + std::round((param.value - domain.low) / *domain.step) * *domain.step);
  const Json choices = parse(param).attributes.value("choices", Json::array());
  const auto index = std::size_t(std::llround(std::max(param.value, 0.0)));
  if (index >= choices.size()) refuse(param.name, "has a value that is none of its choices");
  return domain.choices.at(place_of(domain.originals, choices[index]));
}

const OptunaParam* param_of(const OptunaTrial& trial, const std::string& original) {
  for (const OptunaParam& param : trial.params) {
    if (param.name == original) return &param;
  }
  return nullptr;
}

using Trials = std::vector<const OptunaTrial*>;

bool is_always_there(const std::string& original, const Trials& trials) {
  return std::all_of(trials.begin(), trials.end(), [&](const OptunaTrial* t) { return has(*t, original); });
}

/// Choices of `on` with which the parameter is there; nullopt: they do not tell it.
std::optional<Json> choices_with(const std::string& original, const Domain& on, const Trials& trials) {
  std::set<Json> with, without;
  for (const OptunaTrial* trial : trials) {
    const OptunaParam* param = param_of(*trial, on.original);
    const bool is_there = has(*trial, original);
    if (is_there && param == nullptr) return std::nullopt;
    if (param != nullptr) (is_there ? with : without).insert(own_value(on, *param));
  }
  if (with.empty()) return std::nullopt;
  const bool is_told = std::none_of(with.begin(), with.end(), [&](const Json& c) { return without.contains(c); });
  return is_told ? std::optional(Json(with)) : std::nullopt;
}

Json spec_of(const Domain& domain) {
  Json json{{"name", domain.name}, {"type", domain.kind}};
  if (!domain.when.empty()) json["when"] = domain.when;
  if (domain.kind == "categorical") {
    json["choices"] = domain.choices;
    return json;
  }
  const bool is_int = domain.kind == "int";
  const auto number = [&](double x) { return is_int ? Json(std::llround(x)) : Json(x); };
  const double reach = domain.step ? std::round((domain.high - domain.low) / *domain.step) * *domain.step : 0;
  if (domain.low == domain.high) {
    json["type"] = "constant";
    json["value"] = number(domain.step ? readable(domain.low) : domain.low);
    return json;
  }
  json["low"] = number(domain.low);
  json["high"] = number(domain.step ? readable(domain.low + reach) : domain.high);
  if (domain.step) json["step"] = number(*domain.step);
  if (domain.log && !domain.step) json["scale"] = "log";
  return json;
}

}  // namespace

Domains::Domains(const storage::OptunaStudy& study) {
  Trials whole;
  for (const OptunaTrial& trial : study.trials) {
    for (const OptunaParam& param : trial.params) merge_checked(param);
    if (trial.state == "COMPLETE" || trial.state == "PRUNED") whole.push_back(&trial);
  }
  give_names();
  find_conditions(whole);
}

void Domains::merge_checked(const OptunaParam& param) {
  try {
    merge(param);
  } catch (const Json::exception&) {
    refuse(param.name, "has a distribution that lacks something, or has it of another kind: " + param.distribution);
  }
}

void Domains::merge(const OptunaParam& param) {
  const Distribution d = parse(param);
  auto found = std::find_if(domains_.begin(), domains_.end(), [&](const auto& o) { return o.original == param.name; });
  const bool is_first = found == domains_.end();
  if (is_first) found = domains_.insert(found, Domain{.original = param.name, .kind = d.kind, .step = {}});
  if (found->kind != d.kind) refuse(param.name, "is " + found->kind + " in some trials and " + d.kind + " in others");
  if (d.kind == "categorical") return add_choices(*found, d.attributes.value("choices", Json::array()));
  add_range(*found, d, is_first);
  add_value(*found, param.value);
}

void Domains::give_names() {
  for (Domain& domain : domains_) domain.name = own_name(domain.original, taken_);
}

void Domains::find_conditions(const Trials& whole) {
  std::vector<Domain> placed, open;
  for (Domain& domain : domains_)
    (is_always_there(domain.original, whole) ? placed : open).push_back(std::move(domain));
  const auto place_one = [&](bool by_switch) {
    for (auto domain = open.begin(); domain != open.end(); ++domain) {
      if (by_switch) {
        switches_[domain->original] = own_name("has." + domain->name, taken_);
        domain->when = {{switches_[domain->original], {"yes"}}};
      }
      for (auto on = placed.begin(); domain->when.empty() && on != placed.end(); ++on) {
        const auto choices = on->kind == "categorical" ? choices_with(domain->original, *on, whole) : std::nullopt;
        if (choices) domain->when = {{on->name, *choices}};
      }
      if (domain->when.empty()) continue;
      placed.push_back(std::move(*domain));
      open.erase(domain);
      return true;
    }
    return false;
  };
  while (!open.empty()) {
    if (!place_one(false)) place_one(true);
  }
  domains_ = std::move(placed);
}

Json Domains::space() const {
  Json list = Json::array();
  for (const Domain& domain : domains_) {
    const auto found = switches_.find(domain.original);
    if (found != switches_.end())
      list.push_back({{"name", found->second}, {"type", "categorical"}, {"choices", {"no", "yes"}}});
    list.push_back(spec_of(domain));
  }
  return list;
}

Json Domains::values_of(const OptunaTrial& trial) const {
  Json values = Json::object();
  for (const Domain& domain : domains_) {
    const OptunaParam* param = param_of(trial, domain.original);
    const auto found = switches_.find(domain.original);
    if (found != switches_.end()) values[found->second] = param == nullptr ? "no" : "yes";
    if (param != nullptr) values[domain.name] = own_value(domain, *param);
  }
  return values;
}

}  // namespace dlrun::optuna
