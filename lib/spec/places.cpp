// SPDX-License-Identifier: Apache-2.0
#include "spec/places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dataset/batch_section.hpp"
#include "model/graph.hpp"
#include "options/form.hpp"
#include "recipe/outputs.hpp"
#include "spec/reading.hpp"

namespace dlrun::spec {

namespace {

Place place_of(const Key& key, const std::string& path) {
  Place place;
  place.path = path;
  place.takes_reals = takes(key, Form::real);
  place.takes_integers = takes(key, Form::integer) || place.takes_reals;
  place.takes_booleans = takes(key, Form::boolean);
  place.takes_texts = takes(key, Form::text);
  place.words = key.choices;
  place.words.insert(place.words.end(), key.words.begin(), key.words.end());
  place.low = key.low;
  place.high = key.high;
  place.is_above = key.is_above;
  return place;
}

Place& same_place(std::vector<Place>& places, Place place) {
  for (Place& known : places) {
    if (known.path == place.path) return known;
  }
  return places.emplace_back(std::move(place));
}

void add_new(const std::string& name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// A section within a kind takes the kinds that it has in any of them.
void add_op(const Key& key, std::vector<Place>& places) {
  Place op;
  op.path = join(key.name, key.tag);
  Place& known = same_place(places, op);
  for (const Variant& variant : key.variants) {
    add_new(variant.name, known.words);
  }
}

void add_variants(const Key& key, std::vector<Place>& places);

/// A section within the kind `outer`, whose name is found at `kind_at`.
void add_section(Key key, const std::string& place, const std::string& kind_at, const Variant& outer,
                 std::vector<Place>& places) {
  key.name = join(place, key.name);
  add_variants(key, places);
  Place op;
  op.path = join(key.name, key.tag);
  Place& known = same_place(places, op);
  known.kind_at = kind_at;
  add_new(outer.name, known.kinds);
}

void add_variants(const Key& key, std::vector<Place>& places) {
  Place op;
  op.path = join(key.name, key.tag);
  add_op(key, places);
  for (const Variant& variant : key.variants) {
    for (const Key& inner : variant.table) {
      if (inner.form == Form::variant) add_section(inner, key.name, op.path, variant, places);
      if (!inner.is_searchable) continue;
      Place& place = same_place(places, place_of(inner, join(key.name, inner.name)));
      place.kind_at = op.path;
      add_new(variant.name, place.kinds);
    }
  }
}

void add_entries(const Key& key, const Json& section, std::vector<Place>& places) {
  if (!section.is_object()) return;
  for (const auto& [name, value] : section.items()) {
    if (key.element->is_searchable) places.push_back(place_of(*key.element, join(key.name, name)));
    if (key.element->form != Form::variant) continue;
    Key one = *key.element;
    one.name = join(key.name, name);
    add_variants(one, places);
  }
}

/// A value that one text or number can be; only such are searched.
bool takes_one(const Place& place) {
  return place.takes_integers || place.takes_booleans || place.takes_texts || !place.words.empty();
}

void add_layer(const Json& node, const std::string& path, std::vector<Place>& places);

void add_layers(const Json& nodes, const std::string& path, std::vector<Place>& places) {
  if (!nodes.is_array()) return;
  for (const Json& node : nodes) {
    const bool has_name = node.is_object() && node.contains("name") && node["name"].is_string();
    if (has_name) add_layer(node, join(path, node["name"].get<std::string>()), places);
  }
}

void add_layer(const Json& node, const std::string& path, std::vector<Place>& places) {
  const std::string op = node.contains("op") && node["op"].is_string() ? node["op"].get<std::string>() : "";
  Place kind;
  kind.path = join(path, "op");
  for (const options::Variant& layer : model::layer_kinds()) {
    kind.words.push_back(layer.name);
    if (layer.name != op) continue;
    for (const options::Key& attribute : layer.table) {
      Place place = place_of(attribute, join(path, attribute.name));
      if (takes_one(place)) places.push_back(std::move(place));
    }
  }
  places.push_back(std::move(kind));
  for (const char* inner : {"body", "shortcut"}) {
    if (node.contains(inner)) add_layers(node[inner], join(path, inner), places);
  }
}

/// Place of the data's fold that is measured.
void add_fold(const Json& data, std::vector<Place>& places) {
  const Json split = data.value("split", Json());
  const Json folds = split.is_object() ? split.value("folds", Json()) : Json();
  if (!folds.is_number_integer()) return;
  Place place;
  place.path = "data.split.fold";
  place.takes_integers = true;
  place.low = 0;
  place.high = folds.get<double>() - 1;
  places.push_back(std::move(place));
}

/// Places of a step of augmentation.
void add_step(const Json& step, const options::Variant& kind, std::vector<Place>& places) {
  for (const options::Key& option : kind.table) {
    Place place = place_of(option, join(join("data.augment", step["name"].get<std::string>()), option.name));
    const bool is_one = place.takes_integers || !place.words.empty();
    if (is_one) places.push_back(std::move(place));
  }
}

/// A section with faults is not in its normal form.
bool is_named(const Json& step) { return step.is_object() && step.contains("name") && step["name"].is_string(); }

/// Settings of the partition that is there; another policy has others.
void add_partition(options::Key key, std::vector<Place>& places) {
  key.name = "data.partition";
  add_variants(key, places);
  std::erase_if(places, [&](const Place& place) { return place.path == join(key.name, key.tag); });
}

void add_data(const Json& data, std::vector<Place>& places) {
  if (!data.is_object()) return;
  add_fold(data, places);
  const Json steps = data.value("augment", Json());
  for (const options::Key& option : dataset::batch_options()) {
    if (option.name == "partition" && data.contains("partition")) add_partition(option, places);
    if (option.name != "augment" || !steps.is_array()) continue;
    for (const Json& step : steps) {
      const std::string op = is_named(step) ? step.value("op", "") : "";
      if (const options::Variant* kind = options::find(option.element->variants, op)) add_step(step, *kind, places);
    }
  }
}

/// Numbers that attributes compute with; whether a fraction is one too many, the model says.
void add_let(const Json& let, std::vector<Place>& places) {
  if (!let.is_object()) return;
  for (const auto& [name, value] : let.items()) {
    Place place;
    place.path = join("model.let", name);
    place.takes_integers = place.takes_reals = true;
    places.push_back(std::move(place));
  }
}

std::string wanted(const Place& place) {
  std::vector<std::string> parts;
  if (place.takes_texts) parts.push_back("texts");
  if (!place.words.empty()) parts.push_back(fmt::format("{}", fmt::join(place.words, ", ")));
  if (place.takes_booleans) parts.push_back("true or false");
  if (place.takes_integers) parts.push_back(place.takes_reals ? "numbers" : "whole numbers");
  return fmt::format("{}", fmt::join(parts, " or "));
}

}  // namespace

std::vector<Place> places_of(const Json& trial) {
  std::vector<Place> places;
  if (!trial.is_object()) return places;
  const Variant* kind = find(trial_key(recipe::has_outputs(trial)).variants, trial.value("kind", std::string()));
  if (kind == nullptr) return places;
  for (const Key& key : kind->table) {
    if (key.form == Form::variant) add_variants(key, places);
    if (key.form == Form::map_of) add_entries(key, trial.value(key.name, Json()), places);
    if (key.is_searchable) places.push_back(place_of(key, key.name));
  }
  add_data(trial.value("data", Json()), places);
  const Json model = trial.value("model", Json());
  if (!model.is_object()) return places;
  add_let(model.value("let", Json()), places);
  add_layers(model.value("nodes", Json()), "model.nodes", places);
  return places;
}

std::optional<std::string> refusal(const Place& place, const Json& value) {
  if (value.is_string()) {
    const bool is_known =
        std::find(place.words.begin(), place.words.end(), value.get<std::string>()) != place.words.end();
    if (is_known || place.takes_texts) return std::nullopt;
  } else if (value.is_boolean()) {
    if (place.takes_booleans) return std::nullopt;
  } else if (value.is_number()) {
    const double number = value.get<double>();
    const bool is_whole = value.is_number_integer();
    const bool is_inside = number >= place.low && number <= place.high && !(place.is_above && number == place.low);
    const bool fits = is_whole ? place.takes_integers : place.takes_reals;
    if (fits && is_inside) return std::nullopt;
    if (fits && number >= place.high) return "takes at most " + options::number_text(place.high);
    if (fits) return (place.is_above ? "takes more than " : "takes at least ") + options::number_text(place.low);
  }
  return "takes " + wanted(place);
}

}  // namespace dlrun::spec
