// SPDX-License-Identifier: Apache-2.0
#include "spec/outside_keys.hpp"

#include "dataset/dataset.hpp"
#include "model/graph.hpp"

namespace dlrun::spec {

namespace {

/// A type of one form keeps its range; of several forms ("int-or-pair") anything passes, the owner checks.
template <class Item>
Key key_of(const Item& item) {
  Key key = any(item.name, item.text);
  if (item.type == "int") key.form = Form::integer;
  if (item.type == "float") key.form = Form::real;
  if (item.type == "bool") key.form = Form::boolean;
  if (item.type == "string") key.form = Form::text;
  if (item.low) key.low = *item.low;
  if (item.high) key.high = *item.high;
  key.fallback = item.fallback.is_discarded() ? Json() : item.fallback;
  key.required = item.required;
  return key;
}

Key data_option(const dataset::Option& option);

Key data_kinds(const dataset::Option& option) {
  std::vector<Variant> variants;
  for (const dataset::DataKind& kind : option.kinds) {
    Variant variant{kind.op, kind.text, {}};
    for (const dataset::Option& inner : kind.options) variant.table.push_back(data_option(inner));
    variants.push_back(std::move(variant));
  }
  return variant(option.name, option.text, std::move(variants));
}

Key data_option(const dataset::Option& option) {
  if (option.type == "op") return data_kinds(option).with(option.fallback);
  if (option.type == "ops") return list(option.name, option.text, data_kinds(option)).with(option.fallback);
  Key key = key_of(option);
  if (option.type != "map") return key;
  key.form = Form::table;
  for (const dataset::Option& field : option.fields) key.table.push_back(data_option(field));
  return key;
}

Key make_data_key() {
  std::vector<Variant> variants;
  for (const dataset::DataKind& kind : dataset::data_kinds()) {
    Variant variant{kind.op, kind.text, {}};
    for (const dataset::Option& option : kind.options) variant.table.push_back(data_option(option));
    variants.push_back(std::move(variant));
  }
  return variant("data", "the data set", std::move(variants)).must();
}

/// Keys of every kind; a group has its own meaning of `repeat`.
Table common_keys(const std::string& op) {
  Table keys{text("name", "name of the layer; by default its op and a number"),
             list("from", "layers it reads; by default the one above", text("", "a name")).one(),
             list("tags", "names for groups of layers", text("", "a name")).one(),
             choice("role", "head: the output", {"head"})};
  if (op != "group" && op != "residual")
    keys.push_back(text("share", "a layer above whose weights this one uses, those of the same names"));
  if (op != "group")
    keys.push_back(integer("repeat", "as many of it, one after the other: NAME.0, NAME.1, …").from(1).to(1000));
  return keys;
}

Key make_layer_key() {
  std::vector<Variant> variants;
  for (const model::LayerKind& kind : model::layer_kinds()) {
    Variant variant{kind.op, kind.text, common_keys(kind.op)};
    for (const model::Attribute& attribute : kind.attributes) variant.table.push_back(key_of(attribute));
    for (Key& key : variant.table) key.is_computed = key.form == Form::integer || key.form == Form::real;
    variants.push_back(std::move(variant));
  }
  return variant("", "a layer", std::move(variants)).must();
}

}  // namespace

const Key& outside_data_key() {
  static const Key key = make_data_key();
  return key;
}

const Key& outside_layer_key() {
  static const Key key = make_layer_key();
  return key;
}

}  // namespace dlrun::spec
