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

template <class T>
Key kind_key(std::string name, std::string text, const Kinds<T>& kinds) {
  return variant(std::move(name), std::move(text), variants_of(kinds));
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

/// A member of a kind of its own.
/// @param key       the kind_key of `kinds`
/// @param fallback  the kind of a section that names none
/// @param write     the member as a section
template <class T, class Part>
Field<T> kind_part(Key key, Part T::*member, Kinds<Part> kinds, std::string fallback,
                   std::function<Json(const Part&)> write) {
  return {std::move(key),
          [member, kinds = std::move(kinds), fallback = std::move(fallback)](const Json& value, const Key&,
                                                                             const std::string& place, T& out) {
            out.*member = read_kind(value, kinds, place, fallback);
          },
          [member, write = std::move(write)](const T& from) { return write(from.*member); }};
}

/// A list of sections, each of a kind. Nothing writes it.
/// @param key       a list whose element is the kind_key of `kinds`
/// @param fallback  the kind of an element that names none
template <class T, class Part>
Field<T> parts(Key key, std::vector<Part> T::*member, Kinds<Part> kinds, std::string fallback) {
  return {std::move(key),
          [member, kinds, fallback](const Json& value, const Key& own, const std::string& place, T& out) {
            for (const Json& item : items_of(value, own, place)) {
              const std::string at = place_of(place, std::to_string((out.*member).size()));
              (out.*member).push_back(read_kind(item, kinds, at, fallback));
            }
          },
          nullptr};
}

}  // namespace dlrun::options
