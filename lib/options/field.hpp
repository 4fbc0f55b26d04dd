// SPDX-License-Identifier: Apache-2.0
// A key bound to the member of a struct that holds its value. One table of fields gives a section's keys (for
// validator, schema and defaults) and reads the section into the struct.
#pragma once
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "options/value.hpp"

namespace dlrun::options {

template <class T>
struct Field {
  Key key;
  /// Reads a value, which is not null, into `out`. The key is the field's own, perhaps changed after it was bound.
  std::function<void(const Json& value, const Key& key, const std::string& place, T& out)> read;
  std::function<Json(const T& from)> write;
};

template <class T>
using Fields = std::vector<Field<T>>;

/// Binds a key to a member. A key with neither default, `otherwise` nor `required` gets the member's initial value as
/// its default.
template <class T, class Value>
Field<T> field(Key key, Value T::*member) {
  const bool has_default = !key.fallback.is_null() || !key.otherwise.empty() || key.required;
  if (!has_default) key.fallback = written(T{}.*member);
  return {std::move(key),
          [member](const Json& value, const Key& own, const std::string& place, T& out) {
            read_value(value, own, place, out.*member);
          },
          [member](const T& from) { return written(from.*member); }};
}

template <class T>
Table keys_of(const Fields<T>& fields) {
  Table keys;
  for (const Field<T>& field : fields) keys.push_back(field.key);
  return keys;
}

/// Reads a section into `out`. A missing value becomes its key's default; without a default the member keeps its value.
/// @throws Error(usage) for a value outside its key's bounds, naming its place
template <class T>
void read_fields(const Json& section, const Fields<T>& fields, const std::string& place, T& out) {
  for (const Field<T>& field : fields) {
    const Json& value = value_of(section, field.key, place);
    if (!value.is_null()) field.read(value, field.key, place_of(place, field.key.name), out);
  }
}

template <class T>
Json write_fields(const std::type_identity_t<T>& from, const Fields<T>& fields) {
  Json section = Json::object();
  for (const Field<T>& field : fields) section[field.key.name] = field.write(from);
  return section;
}

/// A list of structs, each read from a map.
/// @param key  a list whose element is the table of `fields`
template <class T, class Row>
Field<T> rows(Key key, std::vector<Row> T::*member, Fields<Row> fields) {
  if (!key.required) key.fallback = Json::array();
  return {std::move(key),
          [member, fields](const Json& value, const Key& own, const std::string& place, T& out) {
            (out.*member).clear();
            for (const Json& item : items_of(value, own, place)) {
              const std::string at = place_of(place, std::to_string((out.*member).size()));
              read_fields(as_map(item, at), fields, at, (out.*member).emplace_back());
            }
          },
          [member, fields](const T& from) {
            Json list = Json::array();
            for (const Row& row : from.*member) list.push_back(write_fields(row, fields));
            return list;
          }};
}

/// A table within the section whose fields belong to the same struct.
template <class T>
Field<T> nested(std::string name, std::string text, Fields<T> fields) {
  return {table(std::move(name), std::move(text), keys_of(fields)),
          [fields](const Json& value, const Key&, const std::string& place, T& out) {
            read_fields(as_map(value, place), fields, place, out);
          },
          [fields](const T& from) { return write_fields(from, fields); }};
}

/// A table whose fields belong to a member of the struct.
/// @param key  the table of `fields`
template <class T, class Part>
Field<T> part(Key key, Part T::*member, Fields<Part> fields) {
  return {std::move(key),
          [member, fields](const Json& value, const Key&, const std::string& place, T& out) {
            read_fields(as_map(value, place), fields, place, out.*member);
          },
          [member, fields](const T& from) { return write_fields(from.*member, fields); }};
}

/// The same of a member that is there only if the section has the table.
template <class T, class Part>
Field<T> part(Key key, std::optional<Part> T::*member, Fields<Part> fields) {
  return {std::move(key),
          [member, fields](const Json& value, const Key&, const std::string& place, T& out) {
            read_fields(as_map(value, place), fields, place, (out.*member).emplace());
          },
          [member, fields](const T& from) { return from.*member ? write_fields(*(from.*member), fields) : Json(); }};
}

/// A part that is there only if its section has a value for the key `needed`.
template <class T, class Part>
Field<T> optional_part(std::string name, std::string text, std::optional<Part> T::*member, Fields<Part> fields,
                       std::string needed) {
  return {
      table(std::move(name), std::move(text), keys_of(fields)),
      [member, fields, needed = std::move(needed)](const Json& value, const Key&, const std::string& place, T& out) {
        const Json section = as_map(value, place);
        if (!section.value(needed, Json()).is_null()) read_fields(section, fields, place, (out.*member).emplace());
      },
      [member, fields](const T& from) { return from.*member ? write_fields(*(from.*member), fields) : Json(); }};
}

/// The field of a part, as a field of the whole.
/// @param part  a generic function from the whole, const or not, to the part
template <class T, class Part, class Access>
Field<T> within(Field<Part> field, Access part) {
  return {field.key,
          [read = field.read, part](const Json& value, const Key& own, const std::string& place, T& out) {
            read(value, own, place, part(out));
          },
          [write = field.write, part](const T& from) { return write(part(from)); }};
}

/// The same for all fields of the part.
template <class T, class Part, class Access>
Fields<T> all_within(const Fields<Part>& fields, Access part) {
  Fields<T> all;
  for (const Field<Part>& field : fields) all.push_back(within<T>(field, part));
  return all;
}

}  // namespace dlrun::options
