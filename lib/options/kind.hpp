// SPDX-License-Identifier: Apache-2.0
// Tables of fields among which a section chooses by `op`.
#pragma once
#include "options/field.hpp"

namespace dlrun::options {

template <class T>
struct Kind {
  std::string name;
  std::string text;
  Fields<T> fields;
  std::function<void(T& out)> begin;  ///< makes a new T one of this kind, before its section is read
};

template <class T>
using Kinds = std::vector<Kind<T>>;

template <class T>
std::vector<Variant> variants_of(const Kinds<T>& kinds) {
  std::vector<Variant> variants;
  for (const Kind<T>& kind : kinds) variants.push_back({kind.name, kind.text, keys_of(kind.fields)});
  return variants;
}

/// A section as a T of the kind that its `op` names.
/// @param section   in one of the forms of as_map
/// @param fallback  the kind of a section that names none
/// @throws Error(usage) for an unknown kind or a value outside its key's bounds, naming its place
template <class T>
T read_kind(const Json& section, const Kinds<T>& kinds, const std::string& place, const std::string& fallback,
            const std::string& list_kind = {}) {
  const Json map = as_map(section, place, list_kind);
  const std::string op = op_of(map, fallback);
  std::vector<std::string> known;
  for (const Kind<T>& kind : kinds) {
    known.push_back(kind.name);
    if (kind.name != op) continue;
    T out;
    if (kind.begin) kind.begin(out);
    read_fields(map, kind.fields, place, out);
    return out;
  }
  refuse_name(place_of(place, "op"), op, known);
}

}  // namespace dlrun::options
