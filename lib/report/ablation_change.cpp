// SPDX-License-Identifier: Apache-2.0
#include "report/ablation_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "trial/runner.hpp"

namespace dlrun::report {

namespace {

constexpr const char* kAsItIs = "as it is";  // the baseline's side if it has no name

bool has_op(const Json& value) { return value.is_object() && value.value("op", Json()).is_string(); }

/// Short text of a value; empty if it has none.
std::string short_text(const Json& value) {
  constexpr std::size_t kLongest = 24;
  if (has_op(value)) return value["op"].get<std::string>();
  if (value.is_null()) return "none";
  const std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
  return value.is_object() || text.size() > kLongest ? "" : text;
}

/// Key of the first setting in which two values of one op differ, as written in the second.
std::string differing_key(const Json& with, const Json& without) {
  for (const auto& [key, value] : without.items()) {
    if (key != "op" && with.value(key, Json()) != value) return key;
  }
  return {};
}

/// Names the two sides of a place, as far as they differ in short words.
void name_sides(Change& change, const std::string& place, const Json& with, const Json& without) {
  change.place = place;
  if (has_op(with) && has_op(without)) {
    change.place.clear();
    if (with["op"] == without["op"]) {
      const std::string key = differing_key(with, without);
      if (!key.empty()) name_sides(change, place + "." + key, with.value(key, Json()), without[key]);
      return;
    }
  }
  change.with = short_text(with);
  change.without = short_text(without);
  if (change.with.empty() || change.without.empty() || change.with == change.without) change.with = change.without = "";
}

/// Kinds of the layers of a model, nested ones too, whose name is or ends in `name`.
void find_ops(const Json& model, const std::string& name, std::set<std::string>& ops) {
  if (model.is_object() && has_op(model) && model.value("name", "") == name) ops.insert(model["op"].get<std::string>());
  if (!model.is_structured()) return;
  for (const Json& inner : model) find_ops(inner, name, ops);
}

/// Kind of the layers that a selector means; empty if they are of several, or unknown.
std::string swapped_op(const Json& selector, const Json& trial) {
  const auto chosen = [&](const char* key) { return selector.value(key, Json()); };
  if (chosen("kind").is_string()) return chosen("kind").get<std::string>();
  if (!chosen("name").is_string()) return {};
  const auto name = chosen("name").get<std::string>();
  std::set<std::string> ops;
  find_ops(trial.value("model", Json()), name.substr(name.rfind('.') + 1), ops);
  return ops.size() == 1 ? *ops.begin() : "";
}

void name_swapped_layers(Change& change, const ablation::Component& component, const std::string& match,
                         const Json& trial) {
  change.with = component.what.is_object() ? swapped_op(component.what, trial) : "";
  change.without = short_text(component.to);
  if (change.with.empty()) change.with = kAsItIs;
  change.place = match;
}

void name_swap(Change& change, const ablation::Component& component, const std::string& match, const Json& trial) {
  change.verb = "swapping";
  if (!component.what.is_string()) return name_swapped_layers(change, component, match, trial);
  const auto section = component.what.get<std::string>();
  const Json own = trial.contains(section) ? trial[section] : trial::setting_at(trial, "data." + section);
  name_sides(change, section, own, component.to.is_string() && has_op(own) ? Json{{"op", component.to}} : component.to);
}

void name_set(Change& change, const Json& sets, const Json& trial) {
  change.verb = "setting";
  if (sets.size() == 1)
    name_sides(change, sets.begin().key(), trial::setting_at(trial, sets.begin().key()), *sets.begin());
}

void name_feature(Change& change, const ablation::Component& component) {
  const std::string how = component.how.value_or("remove");
  if (how == "mean") change = {"replacing", "by its mean", {}, {}, {}};
  if (how == "permute") change.verb = "permuting";
}

/// @param match  layer of a component of `as: each`, or empty
Change change_of(const ablation::Component& component, const std::string& match, const Json& trial) {
  Change change;
  if (component.kind == "swap") name_swap(change, component, match, trial);
  if (component.kind == "set") name_set(change, component.what, trial);
  if (component.kind == "swap_argument") {
    change.verb = "swapping";
    change.with = short_text(component.what);
    change.without = short_text(component.to);
    if (change.without.empty()) change.with.clear();
  }
  if (component.kind == "drop_feature" || component.kind == "drop_channel") name_feature(change, component);
  return change;
}

/// The component of an id, which under `as: each` is that of its component and a match.
const ablation::Component* component_named(const ablation::Plan& plan, const std::string& id) {
  const auto& all = plan.section.components;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ablation::Component& one) {
    return one.id == id || (one.as == "each" && id.starts_with(one.id + '.'));
  });
  return found == all.end() ? nullptr : &*found;
}

/// A place that a path sets to the value it begins with.
Change change_of_place(const ablation::Plan& plan, const std::string& place, const Json& trial) {
  Change change;
  for (const ablation::Variant& variant : plan.variants) {
    if (!variant.edits.contains(place)) continue;
    name_set(change, {{place, variant.edits[place]}}, trial);
    break;
  }
  return change;
}

}  // namespace

std::map<std::string, Change> changes_of(const ablation::Plan& plan, const Json& study,
                                         const std::vector<std::string>& ids) {
  const Json trial = study.value("trial", Json::object());
  std::map<std::string, Change> out;
  for (const std::string& id : ids) {
    const ablation::Component* component = component_named(plan, id);
    if (component == nullptr) {
      out[id] = change_of_place(plan, id, trial);
      continue;
    }
    const std::string match = id == component->id ? "" : id.substr(component->id.size() + 1);
    out[id] = change_of(*component, match, trial);
  }
  return out;
}

std::map<std::string, std::string> directions_of(const ablation::Plan& plan,
                                                 const std::map<std::string, Change>& changes) {
  std::map<std::string, std::string> out;
  std::map<std::string, int> count;
  for (const auto& [id, change] : changes) {
    if (!change.has_sides()) continue;
    const bool is_back = plan.puts_back();
    const std::string sides =
        fmt::format("{} → {}", is_back ? change.without : change.with, is_back ? change.with : change.without);
    out[id] = change.place.empty() ? sides : change.place + ": " + sides;
    ++count[out[id]];
  }
  for (auto& [id, direction] : out) {
    if (count[direction] > 1) direction += " (" + id + ")";
  }
  return out;
}

}  // namespace dlrun::report
