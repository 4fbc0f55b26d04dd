// SPDX-License-Identifier: Apache-2.0
#include "report/ablation_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "recipe/optimizer.hpp"
#include "recipe/schedule_config.hpp"
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

/// Value of a setting; of one that is not written its default, where the keys of the section are known here.
Json setting_of(const Json& value, const std::string& key, const std::string& place) {
  if (value.contains(key)) return value[key];
  static const std::map<std::string, std::vector<options::Variant>> known{
      {"optimizer", recipe::optimizer_key().variants}, {"schedule", recipe::schedule_key().variants}};
  const auto section = known.find(place);
  if (section == known.end()) return nullptr;
  const options::Variant* op = options::find(section->second, value["op"].get<std::string>());
  const options::Key* found = op == nullptr ? nullptr : options::find(op->table, key);
  return found == nullptr ? Json() : found->fallback;
}

/// Settings in which two values of one op differ.
std::vector<std::string> differing_keys(const Json& with, const Json& without, const std::string& place) {
  Json all = with;
  all.update(without);
  std::vector<std::string> out;
  for (const auto& [key, value] : all.items()) {
    if (key != "op" && setting_of(with, key, place) != setting_of(without, key, place)) out.push_back(key);
  }
  return out;
}

/// Names the two sides of a place, as far as they differ in short words.
void name_sides(Change& change, const std::string& place, const Json& with, const Json& without) {
  change.place = place;
  if (has_op(with) && has_op(without)) {
    change.place.clear();
    if (with["op"] == without["op"]) {
      const std::vector<std::string> keys = differing_keys(with, without, place);
      if (keys.size() == 1)
        name_sides(change, place + "." + keys[0], setting_of(with, keys[0], place),
                   setting_of(without, keys[0], place));
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

/// Layers of the same kind keep what `to` does not say; several settings together have no name.
void name_setting_of_layers(Change& change, const Json& to, const std::string& match) {
  const std::string op = std::exchange(change.with, "");
  change.without.clear();
  if (!to.is_object() || to.size() != 2) return;
  for (const auto& [key, value] : to.items()) {
    if (key == "op" || short_text(value).empty()) continue;
    change.place = (match.empty() ? op : match) + "." + key;
    change.with = kAsItIs;
    change.without = short_text(value);
  }
}

void name_swapped_layers(Change& change, const ablation::Component& component, const std::string& match,
                         const Json& trial) {
  change.with = component.what.is_object() ? swapped_op(component.what, trial) : "";
  change.without = short_text(component.to);
  if (!change.with.empty() && change.with == change.without) return name_setting_of_layers(change, component.to, match);
  if (change.with.empty()) change.with = kAsItIs;
  change.place = match;
}

void name_swap(Change& change, const ablation::Component& component, const std::string& match, const Json& trial) {
  change.verb = "swapping";
  if (!component.what.is_string()) return name_swapped_layers(change, component, match, trial);
  const auto section = component.what.get<std::string>();
  const Json own = trial.contains(section) ? trial[section] : trial::setting_at(trial, "data." + section);
  Json to = component.to.is_string() && has_op(own) ? Json{{"op", component.to}} : component.to;
  if (component.inherit && has_op(own) && has_op(to) && to["op"] == own["op"]) {
    Json kept = own;
    kept.update(to);
    to = std::move(kept);
  }
  name_sides(change, section, own, to);
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
