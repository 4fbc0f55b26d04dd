// SPDX-License-Identifier: Apache-2.0
#include "spec/outside_keys.hpp"

#include "dataset/dataset.hpp"
#include "model/graph.hpp"

namespace dlrun::spec {

namespace {

/// Keys of every kind of layer; a group says itself what it means by `repeat`.
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
  for (const Variant& kind : model::layer_kinds()) {
    Variant variant{kind.name, kind.text, common_keys(kind.name)};
    variant.table.insert(variant.table.end(), kind.table.begin(), kind.table.end());
    for (Key& key : variant.table) key.is_computed = key.form == Form::integer || key.form == Form::real;
    variants.push_back(std::move(variant));
  }
  return variant("", "a layer", std::move(variants)).must();
}

}  // namespace

const Key& outside_data_key() {
  static const Key key = variant("data", "the data set", dataset::data_kinds()).must();
  return key;
}

const Key& outside_layer_key() {
  static const Key key = make_layer_key();
  return key;
}

}  // namespace dlrun::spec
