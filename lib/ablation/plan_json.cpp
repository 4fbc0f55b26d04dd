// SPDX-License-Identifier: Apache-2.0
#include "ablation/plan_json.hpp"

#include <numeric>

namespace dlrun::ablation {

using options::any;
using options::field;
using options::Fields;
using options::integer;
using options::Key;
using options::list;
using options::map_of;
using options::table;
using options::text;

std::vector<std::int64_t> Replicates::numbers() const {
  if (seeds) return *seeds;
  std::vector<std::int64_t> numbers(std::size_t(std::max(n, 0)));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

std::int64_t Section::tunings() const {
  return retune && retune->is_per_replicate() ? std::int64_t(replicates.numbers().size()) : 1;
}

namespace {

const Json::json_pointer kDerived("/derived/ablation");
constexpr const char* kOwnSeeds = "own_seeds";

Key named(const std::string& key) { return list(key, "", text("", "")); }
Key lists_of(const std::string& key) { return list(key, "", named("")); }

const Fields<Variant>& variant_fields() {
  static const Fields<Variant> fields{field(text("id", ""), &Variant::id),
                                      field(text("kind", ""), &Variant::kind),
                                      field(named("components"), &Variant::components),
                                      field(any("edits", ""), &Variant::edits),
                                      field(integer("parameters", ""), &Variant::parameters),
                                      field(integer("operations", ""), &Variant::operations),
                                      field(named("notes"), &Variant::notes),
                                      field(map_of("held", "", text("", "")), &Variant::held),
                                      field(text("hash", ""), &Variant::hash)};
  return fields;
}

const Fields<NamedFraction>& fraction_fields() {
  static const Fields<NamedAlias> alias{field(named("effect"), &NamedAlias::effect),
                                        field(lists_of("with"), &NamedAlias::with)};
  static const Fields<NamedFraction> fields{field(integer("resolution", ""), &NamedFraction::resolution),
                                            field(lists_of("words"), &NamedFraction::words),
                                            rows(list("aliases", "", any("", "")), &NamedFraction::aliases, alias)};
  return fields;
}

/// `derived.ablation`.
const Fields<Plan>& derived_fields() {
  static const Fields<Duplicate> duplicate{field(text("id", ""), &Duplicate::id), field(text("of", ""), &Duplicate::of),
                                           field(named("components"), &Duplicate::components)};
  static const Fields<Skipped> skipped{field(text("id", ""), &Skipped::id),
                                       field(text("reason", ""), &Skipped::reason)};
  static const Fields<Steps> steps{field(named("components"), &Steps::components),
                                   field(options::boolean("puts_back", ""), &Steps::puts_back),
                                   field(text("order", ""), &Steps::order)};
  static const Fields<Plan> fields{rows(list("variants", "", any("", "")), &Plan::variants, variant_fields()),
                                   rows(list("duplicates", "", any("", "")), &Plan::duplicates, duplicate),
                                   rows(list("skipped", "", any("", "")), &Plan::skipped, skipped),
                                   part(table("fraction", "", {}), &Plan::fraction, fraction_fields()),
                                   part(table("steps", "", {}), &Plan::steps, steps),
                                   field(integer("folds", ""), &Plan::folds),
                                   field(map_of("majority", "", options::real("", "")), &Plan::majority),
                                   field(options::boolean("maximize", ""), &Plan::maximizes_plugin),
                                   field(options::boolean(kOwnSeeds, ""), &Plan::has_own_seeds)};
  return fields;
}

/// Erases `key` if it says nothing.
void erase_empty(Json& map, const char* key) {
  if (map.at(key).empty()) map.erase(key);
}

Json derived_json(const Plan& plan) {
  Json out = options::write_fields(plan, derived_fields());
  for (const char* key : {"duplicates", "skipped", "fraction", "steps", "majority"}) erase_empty(out, key);
  if (plan.folds == 0) out.erase("folds");
  if (!plan.maximizes_plugin) out.erase("maximize");
  if (!plan.has_own_seeds) out.erase(kOwnSeeds);
  for (Json& variant : out["variants"]) erase_empty(variant, "held");
  return out;
}

/// The map without nulls, and without the maps that are empty then; `set: {}` says something.
Json without_nulls(const Json& value) {
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_null()) continue;
    const Json kept = without_nulls(inner);
    const bool says_nothing = inner.is_object() && kept.empty() && key != "set";
    if (!says_nothing) out[key] = kept;
  }
  return out;
}

Json section_json(const Section& section) {
  Json out = without_nulls(options::write_fields(section, section_fields()));
  out["analysis"]["rope"] = options::written(section.analysis.rope);
  if (section.design != "path") out.erase("path");
  return out;
}

/// Elements of lists that could not be read are null.
Json without_unread(Json json) {
  if (json.is_array()) std::erase_if(json.get_ref<Json::array_t&>(), [](const Json& item) { return item.is_null(); });
  if (json.is_structured()) {
    for (Json& inner : json) inner = without_unread(std::move(inner));
  }
  return json;
}

}  // namespace

Component component_of(const Json& json) {
  Component out;
  options::read_fields(json, component_fields(), "ablation.components", out);
  out.written = without_nulls(json);
  return out;
}

Section section_of(const Json& json) {
  Json readable = json.is_object() ? json : Json::object();
  if (readable.value("replicates", Json()) == "auto") readable.erase("replicates");
  Section out;
  for (const options::Field<Section>& field : section_fields()) {
    const Json value = readable.value(field.key.name, Json());
    const bool is_list_of_maps = field.key.name == "components";  // an entry's values may be null
    if (!value.is_null())
      field.read(is_list_of_maps ? value : without_unread(value), field.key, "ablation." + field.key.name, out);
  }
  return out;
}

std::optional<Plan> plan_of(const Json& study) {
  if (!study.contains(kDerived)) return std::nullopt;
  Plan plan{section_of(study.value("ablation", Json()))};
  options::read_fields(study[kDerived], derived_fields(), "derived.ablation", plan);
  return plan;
}

void write_plan(const Plan& plan, Json& study) {
  study["ablation"] = section_json(plan.section);
  study["derived"]["ablation"] = derived_json(plan);
}

void strip_plan(Json& study, const std::function<void(Json& edits)>& strip) {
  if (!study.contains(kDerived)) return;
  Json& derived = study[kDerived];
  derived.erase("majority");  // follows from the data
  derived.erase("maximize");  // and this from the plugin
  derived.erase(kOwnSeeds);   // and this from the version that made the study
  if (!derived.contains("variants")) return;
  for (Json& variant : derived["variants"]) strip(variant["edits"]);
}

void keep_seeds(const Json& recorded, Json& study) {
  if (!study.contains(kDerived)) return;
  Json& derived = study[kDerived];
  derived.erase(kOwnSeeds);
  const Json before = recorded.value(kDerived, Json::object());
  if (before.contains(kOwnSeeds)) derived[kOwnSeeds] = before[kOwnSeeds];
}

}  // namespace dlrun::ablation
