// SPDX-License-Identifier: Apache-2.0
#include "driver/settled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "driver/spec_diff.hpp"
#include "spec/normal.hpp"

namespace dlrun::driver {

namespace {

using Texts = std::vector<std::string>;

bool contains(const Json& list, const Json& value) { return std::find(list.begin(), list.end(), value) != list.end(); }

Json without(const Json& list, const Json& taken) {
  Json out = Json::array();
  for (const Json& value : list) {
    if (!contains(taken, value)) out.push_back(value);
  }
  return out;
}

const Json* find(const Json& space, const std::string& name) {
  const auto found = std::find_if(space.begin(), space.end(), [&](const Json& p) { return p.at("name") == name; });
  return found == space.end() ? nullptr : &*found;
}

std::string name_of(const Json& parameter) { return parameter.at("name").get<std::string>(); }

/// Choices that the file no longer has, by parameter.
std::map<std::string, Json> retired_choices(const Json& before, const Json& now) {
  std::map<std::string, Json> retired;
  for (const Json& p : before) {
    const Json* other = find(now, name_of(p));
    if (!p.contains("choices") || other == nullptr || !other->contains("choices")) continue;
    const Json gone = without(p["choices"], (*other)["choices"]);
    if (!gone.empty()) retired[name_of(p)] = gone;
  }
  return retired;
}

/// A condition without the choices that are taken away; empty lists: it never holds.
Json remaining(Json when, const std::map<std::string, Json>& retired) {
  if (!when.is_object()) return Json::object();
  for (auto& [name, values] : when.items()) {
    if (retired.contains(name)) values = without(values, retired.at(name));
  }
  return when;
}

Json restricting(const Json& when, const Json& space);

/// Whether the parameter has one of these values in every point of the space.
bool always_has(const Json& space, const std::string& name, const Json& values) {
  const Json* parameter = find(space, name);
  const Json choices = parameter == nullptr ? Json() : parameter->value("choices", Json());
  return choices.is_array() && without(choices, values).empty() &&
         restricting(parameter->value("when", Json()), space).empty();
}

/// A condition without what every point of the space fulfils; empty: it always holds.
Json restricting(const Json& when, const Json& space) {
  Json out = Json::object();
  if (!when.is_object()) return out;
  for (const auto& [name, values] : when.items()) {
    if (!always_has(space, name, values)) out[name] = values;
  }
  return out;
}

bool can_be_active(const Json& when) {
  return std::none_of(when.begin(), when.end(), [](const Json& values) { return values.empty(); });
}

std::string described(const Json& parameter, const char* key) {
  return parameter.contains(key) ? to_text(parameter[key]) : "(nothing)";
}

/// Choices that were taken away, and the space of the file, which has those that are left.
struct Narrowed {
  const std::map<std::string, Json>& retired;
  const Json& space;
};

/// Refuses changes that would make it another parameter.
void check_same(const Json& before, const Json& now, const Narrowed& to, Texts& refusals) {
  const std::string place = "space." + name_of(before);
  for (const char* key : {"type", "at", "value"}) {
    if (before.value(key, Json()) == now.value(key, Json())) continue;
    refusals.push_back(fmt::format("{}.{}: {} -> {}; that is another parameter: give it another name", place, key,
                                   described(before, key), described(now, key)));
  }
  const Json was = restricting(remaining(before.value("when", Json()), to.retired), to.space);
  if (was != restricting(now.value("when", Json()), to.space)) {
    refusals.push_back(fmt::format("{}.when: {} -> {}; trials so far had it under other conditions", place,
                                   described(before, "when"), described(now, "when")));
  }
  if (before.value("type", "") != "ordinal" || !now.contains("choices") || !before.contains("choices")) return;
  const Json added = without(now["choices"], before["choices"]);
  Json follows = without(before["choices"], without(before["choices"], now["choices"]));
  follows.insert(follows.end(), added.begin(), added.end());
  if (now["choices"] != follows) {
    refusals.push_back(
        fmt::format("{}.choices: {} -> {}; values of an ordinal keep their order, new ones follow the old", place,
                    described(before, "choices"), described(now, "choices")));
  }
}

/// Conditions stay as they were first written: a choice that is gone may come back.
Json merged(const Json& before, const Json& now) {
  Json out = now;
  out.erase("when");
  if (before.contains("when")) out["when"] = before["when"];
  if (!before.contains("choices") || !now.contains("choices")) return out;
  out["choices"] = before["choices"];
  for (const Json& choice : without(now["choices"], before["choices"])) out["choices"].push_back(choice);
  return out;
}

Json settled_space(const Json& before, const Json& now, const std::map<std::string, Json>& retired, Texts& refusals) {
  Json out = Json::array();
  for (const Json& p : before) {
    const Json* other = find(now, name_of(p));
    if (other != nullptr) check_same(p, *other, {retired, now}, refusals);
    out.push_back(other == nullptr ? p : merged(p, *other));
    if (other != nullptr || !can_be_active(remaining(p.value("when", Json()), retired))) continue;
    refusals.push_back(
        fmt::format("space.{}: taken away; trials so far differ in it: keep it, or make it narrower", name_of(p)));
  }
  for (const Json& p : now) {
    if (find(before, name_of(p)) == nullptr) out.push_back(p);
  }
  return out;
}

/// Constraints of the file, then those that forbid the retired choices.
Json settled_constraints(const Json& now, const std::map<std::string, Json>& retired) {
  Json out = now.is_array() ? now : Json::array();
  for (const auto& [name, choices] : retired) out.push_back({{"forbid", {{name, choices}}}});
  return out;
}

const std::map<std::string, std::string>& reasons() {
  static const std::map<std::string, std::string> all{
      {"study", "that is another study"},
      {"seed", "all randomness so far follows from it"},
      {"objective", "what was measured was judged by it"},
      {"feasible", "what was measured was judged by it"},
      {"determinism", "trials so far were run with it"},
      {"data", "the data are others: what was measured on them cannot be compared"},
      {"plugins", "trials so far were run with that one"},
      {"trial", "trials so far were run with it"},
      {"order", "all decisions so far follow from it"},
      {"learn_from", "the sampler was told before the first trial"},
      {"enqueue", "these came first; `dlrun enqueue` asks for more"}};
  return all;
}

void refuse_changes(const Json& before, const Json& now, const std::string& key, const std::string& section,
                    Texts& refusals) {
  const Json a = before.value(key, Json()), b = now.value(key, Json());
  Json was, is;
  (section.empty() ? was[key] : was[section][key]) = a;
  (section.empty() ? is[key] : is[section][key]) = b;
  const auto reason = reasons().find(key);
  for (const std::string& line : spec_diff(was, is)) {
    refusals.push_back(line + (reason == reasons().end() ? "" : "; " + reason->second));
  }
}

/// Refuses changes at every place that is not among the allowed ones.
void check_rest(const Json& before, const Json& now, const std::string& section, Texts& refusals) {
  static const std::set<std::string> allowed{"space",        "constraints",   "search",         "limits",
                                             "retry",        "keep",          "description",    "resources",
                                             "executor",     "derived",       "search.sampler", "search.lanes",
                                             "search.slack", "search.pruner", "search.stagger"};
  std::set<std::string> keys;
  for (const auto& [key, value] : before.items()) keys.insert(key);
  for (const auto& [key, value] : now.items()) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string place = section.empty() ? key : fmt::format("{}.{}", section, key);
    if (!allowed.contains(place)) refuse_changes(before, now, key, section, refusals);
  }
}

/// Facts about the trials; plugins that choose values or judge trials may change, as samplers and pruners do.
Json facts_of_trials(const Json& identity) {
  Json derived = identity.value("derived", Json::object());
  Json kept = Json::object();
  const Json all = derived.value("plugins", Json::object());
  for (const auto& [name, facts] : all.items()) {
    if (facts.at("kind") != "sampler" && facts.at("kind") != "pruner") kept[name] = facts;
  }
  derived.erase("plugins");
  if (!kept.empty()) derived["plugins"] = kept;
  return derived;
}

void check_population(const Json& before, const Json& now, Texts& refusals) {
  const std::string pruner = now.at("search").at("pruner").value("op", "none");
  if (pruner != "pbt" && pruner != "pb2") return;
  const bool is_same =
      before.at("space") == now.at("space") && before.value("constraints", Json()) == now.value("constraints", Json());
  if (!is_same)
    refusals.push_back(fmt::format("space: heirs of {} begin with their donors' values, so it cannot change", pruner));
}

}  // namespace

Settled settled(const Json& before, const Json& now) {
  Settled out{now, {}};
  const auto retired = retired_choices(before.at("space"), now.at("space"));
  out.spec["space"] = settled_space(before.at("space"), now.at("space"), retired, out.refusals);
  const Json constraints = settled_constraints(now.value("constraints", Json()), retired);
  out.spec.erase("constraints");
  if (!constraints.empty()) out.spec["constraints"] = constraints;
  const Json was = spec::identity_of(before), is = spec::identity_of(out.spec);
  check_rest(was, is, "", out.refusals);
  check_rest(before.at("search"), out.spec.at("search"), "search", out.refusals);
  check_rest(facts_of_trials(was), facts_of_trials(is), "derived", out.refusals);
  check_population(before, out.spec, out.refusals);
  return out;
}

}  // namespace dlrun::driver
