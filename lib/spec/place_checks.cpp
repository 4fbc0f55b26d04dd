// SPDX-License-Identifier: Apache-2.0
// `at:` of every parameter against the places the trial has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "spec/space_section.hpp"

namespace dlrun::spec {

namespace {

const Place* find_place(const std::vector<Place>& places, const std::string& path) {
  const auto found = std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.path == path; });
  return found == places.end() ? nullptr : &*found;
}

std::string name_of(const Json& parameter) { return parameter["name"].get<std::string>(); }

/// Why a place that people may think of is none.
std::string reason_against(const std::string& at) {
  if (at == "epochs") return "'epochs' is the budget of every trial and cannot be searched";
  if (at == "data.split.fold") return "'data.split.fold' needs data.split.folds, the number of parts";
  if (at.starts_with("data.augment.")) return {};
  if (at == "kind" || at.starts_with("data")) return "'" + at + "' is the same for all trials and cannot be searched";
  return {};
}

void report_unknown(const std::string& path, const std::string& at, const std::vector<Place>& places, Faults& faults) {
  const std::string reason = reason_against(at);
  if (!reason.empty()) return faults.at(path, reason);
  std::vector<std::string> known;
  for (const Place& place : places) known.push_back(place.path);
  const bool names_trial = at.starts_with("trial.") && find_place(places, at.substr(6)) != nullptr;
  faults.at(path, "the trial has no place " + document::quote(at),
            names_trial ? "write " + at.substr(6) : suggest(at, known, "places are"));
}

/// The section of a setting is there: parameters do not make it. A cluster is nothing without ranks.
bool check_section(const std::string& path, const Place& place, const Json& trial, Faults& faults) {
  const std::string first = place.path.substr(0, place.path.find('.'));
  const std::string section = first == "cluster" ? "parallel" : first;
  const bool is_there = !trial.value(section, Json()).is_null() || faults.is_bad(join("trial", section));
  if (first == place.path || is_there) return true;
  faults.at(path, fmt::format("the trial has no '{}', so '{}' changes nothing", section, place.path),
            fmt::format("write trial: {{{}: …}}", section));
  return false;
}

/// Values that stand for the whole domain: its ends, or each choice.
struct Sample {
  std::string key;  ///< where in the parameter it was written
  Json value;
};

std::vector<Sample> samples_of(const Json& parameter) {
  if (parameter.contains("low")) return {{"low", parameter["low"]}, {"high", parameter["high"]}};
  if (parameter.contains("value")) return {{"value", parameter["value"]}};
  std::vector<Sample> out;
  for (std::size_t i = 0; i < parameter["choices"].size(); ++i) {
    out.push_back({"choices." + std::to_string(i), parameter["choices"][i]});
  }
  return out;
}

void check_values(const Json& parameter, const Place& place, Faults& faults) {
  const bool is_real = parameter["type"] == "float";
  if (is_real && !place.takes_reals) {
    return faults.at(join(path_of(parameter), "type"),
                     fmt::format("{} takes {}, but '{}' is a float", place.path,
                                 place.takes_integers ? "whole numbers" : "no numbers", name_of(parameter)),
                     place.takes_integers ? "write type: int" : "write the values as choices");
  }
  for (const Sample& sample : samples_of(parameter)) {
    if (sample.value.is_null()) continue;
    const std::optional<std::string> why = refusal(place, sample.value);
    if (!why) continue;
    const std::string path = join(path_of(parameter), sample.key);
    const std::string base = path_of(parameter);
    faults.at(
        faults.was_written(path) ? path : base,
        fmt::format("{} {}, but '{}' may be {}", place.path, *why, name_of(parameter), to_text(sample.value)),
        sample.value.is_string() && !place.words.empty() ? suggest(sample.value.get<std::string>(), place.words) : "");
    if (parameter.contains("low")) return;
  }
}

/// The values the parameter at `place` may have where `parameter` is active; empty: no parameter sets it.
std::vector<std::string> kinds_where(const Json& space, const Json& parameter, const std::string& place) {
  std::vector<std::string> out;
  for (const Json& other : space) {
    if (other["at"] != place) continue;
    const bool is_condition = parameter["when"].is_object() && parameter["when"].contains(name_of(other));
    const Json values = is_condition                ? parameter["when"][name_of(other)]
                        : other.contains("choices") ? other["choices"]
                                                    : Json::array({other.value("value", Json())});
    for (const Json& value : values) {
      if (value.is_string()) out.push_back(value.get<std::string>());
    }
  }
  return out;
}

/// `optimizer.momentum` exists only where `optimizer.op` is sgd.
void check_kind(const Json& space, const Json& parameter, const Place& place, const Json& trial, Faults& faults) {
  if (place.kind_at.empty()) return;
  for (const Json& other : space) {  // faults of the other are reported there
    if (other["at"] == place.kind_at && faults.is_bad(path_of(other))) return;
  }
  std::vector<std::string> kinds = kinds_where(space, parameter, place.kind_at);
  const bool is_searched = !kinds.empty();
  std::string pointer = "/" + place.kind_at;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const Json::json_pointer base(pointer);
  if (!is_searched && trial.contains(base)) kinds = {trial[base].get<std::string>()};
  for (const std::string& kind : kinds) {
    if (std::find(place.kinds.begin(), place.kinds.end(), kind) != place.kinds.end()) continue;
    const std::string what = place.path.substr(place.path.rfind('.') + 1);
    faults.at(join(path_of(parameter), "at"),
              fmt::format("{} has no '{}', and {} may be {}", kind, what, place.kind_at, kind),
              is_searched ? fmt::format("add when: with the values that have it ({})", fmt::join(place.kinds, ", "))
                          : fmt::format("{} belongs to {}", what, fmt::join(place.kinds, ", ")));
    return;
  }
}

/// Two conditions that can never hold together.
bool exclude_each_other(const Json& a, const Json& b) {
  if (!a["when"].is_object() || !b["when"].is_object()) return false;
  for (const auto& [name, values] : a["when"].items()) {
    if (!b["when"].contains(name)) continue;
    const Json& others = b["when"][name];
    const auto is_shared = [&](const Json& v) { return std::find(others.begin(), others.end(), v) != others.end(); };
    if (std::none_of(values.begin(), values.end(), is_shared)) return true;
  }
  return false;
}

void check_alone(const Json& space, std::size_t index, Faults& faults) {
  const Json& parameter = space[index];
  for (std::size_t i = 0; i < index; ++i) {
    if (space[i]["at"] != parameter["at"] || exclude_each_other(space[i], parameter)) continue;
    const auto place = [&](const Json& p) {
      const std::string at = join(path_of(p), "at");
      return faults.was_written(at) ? at : path_of(p);
    };
    faults.clash(place(parameter),
                 fmt::format("'{}' and '{}' both set {}", name_of(space[i]), name_of(parameter),
                             parameter["at"].get<std::string>()),
                 place(space[i]), "set here first", "give them when: conditions of which only one can hold");
    return;
  }
}

}  // namespace

bool is_set(const Json& space, const std::string& place) {
  return std::any_of(space.begin(), space.end(), [&](const Json& parameter) { return parameter["at"] == place; });
}

void check_places(Json& space, const Json& trial, Faults& faults) {
  const std::vector<Place> places = places_of(trial);
  const bool is_train = trial["kind"] == "train";
  for (Json& parameter : space) {
    const bool is_place = find_place(places, name_of(parameter)) != nullptr;
    if (parameter["at"].is_null() && is_place) parameter["at"] = name_of(parameter);
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Json& parameter = space[i];
    const std::string path = join(path_of(parameter), "at");
    if (faults.is_bad(path)) continue;
    if (parameter["at"].is_null()) {
      if (is_train) {
        faults.at_key(path_of(parameter), fmt::format("'{}' sets nothing", name_of(parameter)),
                      "say where with at:, e.g. at: optimizer.lr");
      }
      continue;
    }
    const Place* place = find_place(places, parameter["at"].get<std::string>());
    if (place == nullptr) {
      report_unknown(path, parameter["at"].get<std::string>(), places, faults);
      continue;
    }
    if (!check_section(path, *place, trial, faults)) continue;
    if (!faults.is_bad(path_of(parameter))) check_values(parameter, *place, faults);
    check_alone(space, i, faults);
  }
  for (const Json& parameter : space) {
    const Place* place = parameter["at"].is_string() ? find_place(places, parameter["at"].get<std::string>()) : nullptr;
    if (place != nullptr) check_kind(space, parameter, *place, trial, faults);
  }
}

}  // namespace dlrun::spec
