// SPDX-License-Identifier: Apache-2.0
// One language for the keys of a section: type, range, default, place and a line of text each. The validator of
// studies, their schema and their defaults are driven by tables of it, and so are the typed readers (field.hpp).
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::options {

enum class Form {
  boolean,
  integer,
  real,
  text,      ///< any text; a plain number is taken as it is written
  choice,    ///< one of `choices`
  duration,  ///< seconds, or a text such as 500ms, 90s, 10m, 1h30m; normal form: seconds
  plain,     ///< any single value: text, number, true or false
  any,       ///< anything; checked elsewhere (model, data)
  list,      ///< elements as `element`
  map_of,    ///< free names to `element`
  table,     ///< the keys of `table`
  variant,   ///< `tag:` chooses one of `variants`; a mere name is short for {tag: name}
  // Values of layers and of data, whose numbers obey the key's bounds:
  pair,           ///< two integers, [vertical, horizontal]
  shape,          ///< one to four integers
  integers,       ///< one to 64 integers
  numbers,        ///< a number, or a list of numbers
  nodes,          ///< a list of layers
  columns,        ///< names or numbers of columns, or one of them
  named_columns,  ///< a map of free names, each to columns
  names           ///< a map of free names to texts
};

struct Key;
using Table = std::vector<Key>;

struct Variant;

struct Key {
  std::string name;
  Form form = Form::any;
  std::string text;       ///< one line for the schema and --show-defaults
  Json fallback;          ///< default; null: none
  std::string otherwise;  ///< meaning of no value, if the default is worked out: "as epochs"
  bool required = false;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_above = false;           ///< low itself is outside
  bool is_below = false;           ///< high itself is outside
  bool is_searchable = false;      ///< a parameter may name it in `at:`
  bool is_inferred = false;        ///< a person who writes it makes an assertion, which is checked
  bool is_file = false;            ///< names files: their content counts in a hash, their place does not
  bool is_computed = false;        ///< arithmetic with the model's `let` may stand for a number
  bool allows_one = false;         ///< list: a single value stands for a list of one
  std::vector<std::string> words;  ///< one of these may stand in its place, and is its value then
  std::vector<Form> also;          ///< further forms, under the same bounds
  std::vector<std::string> choices;
  std::shared_ptr<Key> element;
  Table table;
  std::string tag = "op";
  std::string list_kind;  ///< variant: a list is short for {op: list_kind, parts: the list}
  std::vector<Variant> variants;

  Key& with(Json value) { return fallback = std::move(value), *this; }
  Key& or_else(std::string what) { return otherwise = std::move(what), *this; }
  Key& must() { return required = true, *this; }
  Key& from(double least) { return low = least, *this; }
  Key& above(double limit) { return low = limit, is_above = true, *this; }
  Key& to(double most) { return high = most, *this; }
  Key& below(double limit) { return high = limit, is_below = true, *this; }
  Key& search() { return is_searchable = true, *this; }
  Key& or_word(std::string allowed) { return words.push_back(std::move(allowed)), *this; }
  Key& or_a(Form further) { return also.push_back(further), *this; }
  Key& inferred() { return is_inferred = true, *this; }
  Key& file() { return is_file = true, *this; }
  Key& one() { return allows_one = true, *this; }
  Key& tagged(std::string name_of_tag) { return tag = std::move(name_of_tag), *this; }
};

struct Variant {
  std::string name;
  std::string text;
  Table table;
};

/// One list after another.
template <class Item>
std::vector<Item> joined(const std::vector<std::vector<Item>>& lists) {
  std::vector<Item> all;
  for (const std::vector<Item>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Key key(Form form, std::string name, std::string text);
Key boolean(std::string name, std::string text);
Key integer(std::string name, std::string text);
Key real(std::string name, std::string text);
Key text(std::string name, std::string text);
Key choice(std::string name, std::string text, std::vector<std::string> choices);
Key duration(std::string name, std::string text);
Key plain(std::string name, std::string text);
Key any(std::string name, std::string text);
Key list(std::string name, std::string text, Key element);
Key map_of(std::string name, std::string text, Key element);
Key table(std::string name, std::string text, Table keys);
Key variant(std::string name, std::string text, std::vector<Variant> variants);

/// Key of a table by name; nullptr where there is none.
const Key* find(const Table& table, const std::string& name);
const Variant* find(const std::vector<Variant>& variants, const std::string& name);
std::vector<std::string> names(const Table& table);
std::vector<std::string> names(const std::vector<Variant>& variants);

}  // namespace dlrun::options
