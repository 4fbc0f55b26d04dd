// SPDX-License-Identifier: Apache-2.0
#include "spec/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "options/value.hpp"
#include "recipe/outputs.hpp"
#include "spec/keys.hpp"

namespace dlrun::spec {

using document::Faults;
using document::join;

namespace {

/// The kinds a parameter may give to `section` (optimizer, schedule, …), the base's own first.
std::vector<std::string> kinds_of(const Json& section, const std::string& place, const Json& space) {
  std::vector<std::string> out{section["op"].get<std::string>()};
  for (const Json& parameter : space) {
    if (parameter["at"] != place) continue;
    const Json values = parameter.value("choices", Json::array({parameter.value("value", Json())}));
    for (const Json& value : values) {
      if (value.is_string()) out.push_back(value.get<std::string>());
    }
  }
  return out;
}

bool is_searched(const std::string& place, const Json& space) {
  return std::any_of(space.begin(), space.end(), [&](const Json& parameter) { return parameter["at"] == place; });
}

/// Kinds share a section, and a value that suits one may lie outside another's bounds: `eps: 0` is for lars alone.
void require_in_range(const Json& value, const Key& key, const std::string& place, const std::string& kind,
                      Faults& faults) {
  const bool is_real = key.form == options::Form::real && value.is_number();
  if (!is_real || options::in_range(value.get<double>(), key)) return;
  const std::string path = join(place, key.name);
  faults.at("trial." + path, fmt::format("'{}' is {}, which {} cannot have", path, value.dump(), kind),
            fmt::format("write a value for '{}' that suits all kinds that are searched", path));
}

/// The tables of all kinds that one section, at `place`, may be of, with their names.
std::vector<const Variant*> variants_of(const Json& section, const Key& key, const std::string& place,
                                        const Json& space) {
  std::vector<const Variant*> out;
  if (!section.is_object() || !section.contains(key.tag)) return out;
  for (const std::string& name : kinds_of(section, join(place, key.tag), space)) {
    if (const Variant* variant = find(key.variants, name)) out.push_back(variant);
  }
  return out;
}

/// Keys for which two of the kinds have different defaults.
std::set<std::string> disputed_keys(const std::vector<const Variant*>& kinds) {
  std::set<std::string> out;
  Json known = Json::object();
  for (const Variant* kind : kinds) {
    for (const Key& key : kind->table) {
      if (!known.contains(key.name)) known[key.name] = key.fallback;
      if (known[key.name] != key.fallback) out.insert(key.name);
    }
  }
  return out;
}

void forget_disputed(Json& section, const std::vector<const Variant*>& kinds, const std::string& place,
                     const IsWritten& is_written) {
  for (const std::string& name : disputed_keys(kinds)) {
    if (!is_written("trial." + join(place, name))) section.erase(name);
  }
}

void forget_disputed_at(Json& section, const Key& key, const std::string& place, const Json& space,
                        const IsWritten& is_written) {
  const std::vector<const Variant*> kinds = variants_of(section, key, place, space);
  forget_disputed(section, kinds, place, is_written);
  for (const Variant* kind : kinds) {
    for (const Key& inner : kind->table) {
      if (inner.form != Form::variant || !section.contains(inner.name)) continue;
      forget_disputed_at(section[inner.name], inner, join(place, inner.name), space, is_written);
    }
  }
}

/// Keys of all kinds that one section, at `place`, may be of.
void fill_kinds_at(Json& section, const Key& key, const std::string& place, const Json& space, Faults& faults) {
  for (const Variant* variant : variants_of(section, key, place, space)) {
    for (const Key& inner : variant->table) {
      if (!section.contains(inner.name)) section[inner.name] = inner.fallback;
      if (inner.form == Form::variant)
        fill_kinds_at(section[inner.name], inner, join(place, inner.name), space, faults);
    }
  }
}

/// Every value that one kind may take from the section, except those that are searched.
void check_kinds_at(const Json& section, const Key& key, const std::string& place, const Json& space, Faults& faults) {
  for (const Variant* variant : variants_of(section, key, place, space)) {
    for (const Key& inner : variant->table) {
      const auto value = section.find(inner.name);
      if (value == section.end()) continue;
      if (inner.form == Form::variant) check_kinds_at(*value, inner, join(place, inner.name), space, faults);
      if (!is_searched(join(place, inner.name), space)) require_in_range(*value, inner, place, variant->name, faults);
    }
  }
}

/// Sections of a trial that have a kind: their key and their place. Empty ones are left out of the normal form.
using Visit = std::function<void(Json& section, const Key& key, const std::string& place)>;

void each_section(Json& trial, const Visit& visit) {
  const Variant* kind = find(trial_key(recipe::has_outputs(trial)).variants, trial["kind"].get<std::string>());
  for (const Key& key : kind->table) {
    const auto found = trial.find(key.name);
    if (found == trial.end() || !found->is_object()) continue;
    if (key.form == Form::variant) visit(*found, key, key.name);
    if (key.form != Form::map_of || key.element->form != Form::variant) continue;
    for (auto& [name, one] : found->items()) visit(one, *key.element, join(key.name, name));
  }
}

/// Settings as constants of a space.
Json as_space(const Json& sets) {
  Json space = Json::array();
  for (const auto& [place, value] : sets.items()) space.push_back({{"at", place}, {"value", value}});
  return space;
}

std::string shown(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

/// Defaults of the other kinds that the last of `kinds` keeps.
std::vector<std::string> kept_by_last(const Json& section, const std::vector<const Variant*>& kinds,
                                      const std::string& place, const Json& space, const IsWritten& is_written) {
  std::vector<std::string> out;
  for (const std::string& name : disputed_keys(kinds)) {
    const Key* own = find(kinds.back()->table, name);
    const std::string path = join(place, name);
    if (own == nullptr || is_written("trial." + path) || is_searched(path, space)) continue;
    const Json value = section.value(name, own->fallback);
    if (value == own->fallback) continue;
    out.push_back(
        fmt::format("{} stays {} ({}'s own: {})", path, shown(value), kinds.back()->name, shown(own->fallback)));
  }
  return out;
}

}  // namespace

void fill_kinds(Json& trial, const Json& space, Faults& faults) {
  const IsWritten is_written = [&](const std::string& path) { return faults.was_written(path); };
  each_section(trial, [&](Json& section, const Key& key, const std::string& place) {
    fill_kinds_at(section, key, place, space, faults);
    forget_disputed_at(section, key, place, space, is_written);
    check_kinds_at(section, key, place, space, faults);
  });
}

std::vector<std::string> kept_defaults(const Json& trial, const Json& sets, const IsWritten& is_written) {
  std::vector<std::string> out;
  const Json space = as_space(sets);
  Json copy = trial;
  each_section(copy, [&](Json& section, const Key& key, const std::string& place) {
    const std::vector<const Variant*> kinds = variants_of(section, key, place, space);
    if (kinds.size() < 2) return;
    const auto kept = kept_by_last(section, kinds, place, space, is_written);
    out.insert(out.end(), kept.begin(), kept.end());
  });
  return out;
}

}  // namespace dlrun::spec
