// SPDX-License-Identifier: Apache-2.0
#include "spec/concise.hpp"

#include <algorithm>

#include "recipe/outputs.hpp"
#include "spec/keys.hpp"

namespace dlrun::spec {

namespace {

Json concise(const Json& value, const Key& key);

bool is_of_another_kind(const Key& key, const std::string& name) {
  return std::any_of(key.variants.begin(), key.variants.end(),
                     [&](const Variant& variant) { return find(variant.table, name) != nullptr; });
}

Json concise_map(const Json& map, const Table& table, const Key& key) {
  Json out = Json::object();
  for (const auto& [name, value] : map.items()) {
    const Key* inner = find(table, name);
    if (inner == nullptr) {
      if (!is_of_another_kind(key, name)) out[name] = value;
    } else if (!value.is_null() && (inner->required || value != inner->fallback)) {
      Json shorter = concise(value, *inner);
      if (inner->form != Form::table || !shorter.empty()) out[name] = std::move(shorter);
    }
  }
  return out;
}

Json concise(const Json& value, const Key& key) {
  if (!value.is_object()) return value;
  if (key.form == Form::map_of) {
    Json out = Json::object();
    for (const auto& [name, one] : value.items()) out[name] = concise(one, *key.element);
    return out;
  }
  if (key.form == Form::table) return concise_map(value, key.table, key);
  if (key.form == Form::list && key.allows_one) return concise(value, *key.element);
  if (key.form != Form::variant) return value;
  const auto tag = value.find(key.tag);
  const Variant* chosen = tag == value.end() || !tag->is_string() ? nullptr : find(key.variants, *tag);
  return chosen == nullptr ? value : concise_map(value, chosen->table, key);
}

/// A trial of several folds measures every fold, and may name none.
void forget_fold(Json& trial) {
  if (trial.value("folds", 1) < 2) return;
  const auto data = trial.find("data");
  if (data != trial.end() && data->value("split", Json()).is_object()) (*data)["split"].erase("fold");
}

}  // namespace

Json concise_section(const std::string& name, const Json& section) {
  const bool has_outputs = name == "trial" && recipe::has_outputs(section);
  Json out = concise(section, has_outputs ? trial_key(true) : *find(study_keys(), name));
  if (name == "trial" && out.is_object()) forget_fold(out);
  return out;
}

}  // namespace dlrun::spec
