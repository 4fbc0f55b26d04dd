// SPDX-License-Identifier: Apache-2.0
#include "document/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "document/load.hpp"
#include "document/scalars.hpp"
#include "options/form.hpp"

namespace dlrun::document {

using options::Form;
using options::Key;
using options::Table;
using options::Variant;

namespace {

Json defaults_of(const Key& key, const std::string& path, Faults& faults);

Json read_keys(const Node& node, const Table& table, const std::string& path, const std::string& what, Faults& faults);

/// A variant's keys without what has to be written.
Json defaults_of(const Key& key, const std::string& kind, const std::string& path, Faults& faults) {
  static const Node nothing;
  Table table = find(key.variants, kind)->table;
  std::erase_if(table, [](const Key& inner) { return inner.required; });
  const std::string who = fmt::format("'{}' of {} {}", path, key.tag, kind);
  Json out = read_keys(nothing, table, path, who, faults);
  out[key.tag] = kind;
  return out;
}

std::string what_is(const std::string& path, const std::string& otherwise) {
  return path.empty() ? otherwise : "'" + path + "'";
}

/// Keys of the map that the table does not have.
void check_unknown(const Node& node, const Table& table, const std::string& extra, const std::string& path,
                   const std::string& what, Faults& faults) {
  std::vector<std::string> known = names(table);
  if (!extra.empty()) known.insert(known.begin(), extra);
  for (const Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    faults.wrote(join(path, entry.key), {entry.key_span, entry.value.span});
    faults.at_key(join(path, entry.key), fmt::format("{} has no key {}", what, quote(entry.key)),
                  faults.help_for(join(path, entry.key), entry.key, known, "its keys are"));
  }
}

Json read_keys(const Node& node, const Table& table, const std::string& path, const std::string& what, Faults& faults) {
  Json out = Json::object();
  for (const Key& key : table) {
    const std::string inner = join(path, key.name);
    faults.wrote(inner, node, key.name);
    const Node* value = node.find(key.name);
    const bool is_missing = value == nullptr || is_nothing(*value);
    if (is_missing && key.required && node.is_broken) {
      faults.spoil(inner);
    } else if (is_missing && key.required) {
      faults.at_key(inner, fmt::format("{} needs the key '{}'", what, key.name), key.name + ": " + key.text);
    }
    const bool has_default = is_missing && !key.required;
    out[key.name] = has_default  ? defaults_of(key, inner, faults)
                    : is_missing ? Json()
                                 : read(value, key, inner, faults);
  }
  return out;
}

Json read_variant(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  const std::string what = what_is(path, "this");
  if (!node.is_scalar() && !node.is_map()) {
    faults.at(path, fmt::format("{} must be a map or one of its kinds, not {}", what, describe(node)),
              suggest("", names(key.variants)));
    return nullptr;
  }
  const Node* tag = node.is_map() ? node.find(key.tag) : &node;
  const std::string tag_path = node.is_map() ? join(path, key.tag) : path;
  if (node.is_map()) faults.wrote(tag_path, node, key.tag);
  if (tag != nullptr && tag->is_broken) {
    faults.spoil(path);
    return nullptr;
  }
  std::string name = key.fallback.is_string() ? key.fallback.get<std::string>() : "";
  if (tag != nullptr && !is_nothing(*tag)) {
    name = tag->is_scalar() ? tag->text : "";
  } else if (name.empty() && node.is_broken) {
    faults.spoil(path);
    return nullptr;
  } else if (name.empty()) {
    faults.at_key(path, fmt::format("{} needs '{}', its kind", what, key.tag), suggest("", names(key.variants)));
    return nullptr;
  }
  const Variant* variant = find(key.variants, name);
  if (variant == nullptr) {
    faults.at(tag_path, fmt::format("{} cannot be {}", what_is(join(path, key.tag), key.tag), describe(*tag)),
              faults.help_for(tag_path, name, names(key.variants), "there are"));
    return nullptr;
  }
  static const Node nothing;
  const Node& keys = node.is_map() ? node : nothing;
  const std::string who = path.empty() ? variant->name : fmt::format("'{}' of {} {}", path, key.tag, variant->name);
  check_unknown(keys, variant->table, key.tag, path, who, faults);
  Json out = read_keys(keys, variant->table, path, who, faults);
  out[key.tag] = name;
  return out;
}

/// An element that is nothing needs a default. A text that the environment left empty is an empty text there.
Json read_element(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  const bool is_empty_text = key.form == Form::text && node.is_scalar() && node.is_plain && node.text.empty();
  if (is_empty_text && !node.is_broken) return "";
  Json value = read(&node, key, path, faults);
  const bool is_free = key.form == Form::any || key.form == Form::plain;
  if (!value.is_null() || is_free || !is_nothing(node) || node.is_broken) return value;
  faults.at(path, fmt::format("'{}' is nothing", path), "write a value, or remove it");
  return value;
}

Json read_list(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  Json out = Json::array();
  const bool is_one = !node.is_list() && key.allows_one;
  if (!node.is_list() && !is_one) {
    faults.at(path, fmt::format("{} must be a list, not {}", what_is(path, "this"), describe(node)),
              "write [a, b], or a line '- a' for each");
    return out;
  }
  if (is_one) return Json::array({read(&node, *key.element, path, faults)});
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string inner = join(path, std::to_string(i));
    faults.wrote(inner, {node.items[i].span, node.items[i].span});
    out.push_back(read_element(node.items[i], *key.element, inner, faults));
  }
  return out;
}

/// `schedule: [{op: linear, epochs: 2}, {op: cosine}]` is short for {op: sequence, parts: […]}.
Json read_short_list(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  const Key& parts = *find(find(key.variants, key.list_kind)->table, "parts");
  const std::string inner = join(path, parts.name);
  faults.wrote(inner, {node.span, node.span});
  Json out = defaults_of(key, key.list_kind, path, faults);
  out[parts.name] = read_list(node, parts, inner, faults);
  return out;
}

/// @param known  keys that it may have; empty: any
bool is_map(const Node& node, const std::vector<std::string>& known, const std::string& path, Faults& faults) {
  if (node.is_map()) return true;
  faults.at(
      path, fmt::format("{} must be a map of keys, not {}", what_is(path, "a study"), describe(node)),
      known.empty() ? "write name: value" : fmt::format("write name: value; its keys are {}", fmt::join(known, ", ")));
  return false;
}

Json read_map(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  Json out = Json::object();
  if (!is_map(node, {}, path, faults)) return out;
  for (const Entry& entry : node.entries) {
    const std::string inner = join(path, entry.key);
    faults.wrote(inner, {entry.key_span, entry.value.span});
    out[entry.key] = read_element(entry.value, *key.element, inner, faults);
  }
  return out;
}

Json defaults_of(const Key& key, const std::string& path, Faults& faults) {
  static const Node nothing;
  const bool is_word = key.fallback.is_string();  // a word stands for the table that is not written
  if (key.form == Form::table && !key.required && !is_word)
    return read_keys(nothing, key.table, path, what_is(path, "a study"), faults);
  if (key.form != Form::variant || !key.fallback.is_string()) return key.fallback;
  return defaults_of(key, key.fallback.get<std::string>(), path, faults);
}

}  // namespace

Node load_file(const std::filesystem::path& file, Faults& faults) {
  Loaded loaded = load({.file = file, .sets = {}, .pieces = {}, .environment = {}}, faults.list);
  require_sound(faults.list);
  faults.wrote("", {loaded.root->span, loaded.root->span});
  return std::move(*loaded.root);
}

Json read_table(const Node& node, const Table& table, const std::string& path, const std::string& what,
                Faults& faults) {
  if (!is_map(node, names(table), path, faults)) return nullptr;
  check_unknown(node, table, "", path, what, faults);
  return read_keys(node, table, path, what, faults);
}

/// Numbers of one type, so that 1 and 1.0 are the same study.
Json read_numbers(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  Json value = read_any(node, path, faults);
  if (faults.is_bad(path)) return nullptr;
  if (options::has_form(value, key)) return options::as_numbers(std::move(value), key);
  Key named = key;
  named.name = path;
  faults.at(path, options::describe_misfit(named, value), node.is_list() ? "" : "write [1, 2]");
  return nullptr;
}

/// A word in the place of a table.
Json read_word(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  if (std::find(key.words.begin(), key.words.end(), node.text) != key.words.end()) return node.text;
  faults.at(path,
            fmt::format("{} must be {} or a map of keys, not {}", what_is(path, "a study"), fmt::join(key.words, ", "),
                        describe(node)),
            options::hint_for_value(key, node.text));
  return key.fallback;
}

Json read(const Node* node, const Key& key, const std::string& path, Faults& faults) {
  if (node == nullptr || (is_nothing(*node) && !path.empty() && key.form != Form::plain)) {
    return defaults_of(key, path, faults);
  }
  if (node->is_broken && !node->is_map()) {
    faults.spoil(path);
    return key.fallback;
  }
  switch (key.form) {
    case Form::any: return read_any(*node, path, faults);
    case Form::list: return read_list(*node, key, path, faults);
    case Form::map_of: return read_map(*node, key, path, faults);
    case Form::table:
      if (node->is_scalar() && !key.words.empty()) return read_word(*node, key, path, faults);
      return read_table(*node, key.table, path, what_is(path, "a study"), faults);
    case Form::variant:
      if (node->is_list() && !key.list_kind.empty()) return read_short_list(*node, key, path, faults);
      return read_variant(*node, key, path, faults);
    case Form::integers:
    case Form::numbers: return read_numbers(*node, key, path, faults);
    default: return read_scalar(*node, key, path, faults);
  }
}

Json read_any(const Node& node, const std::string& path, Faults& faults) {
  if (node.is_broken) faults.spoil(path);
  if (node.is_map()) {
    Json out = Json::object();
    for (const Entry& entry : node.entries) {
      const std::string inner = join(path, entry.key);
      faults.wrote(inner, {entry.key_span, entry.value.span});
      out[entry.key] = read_any(entry.value, inner, faults);
    }
    return out;
  }
  if (!node.is_list()) return node.is_broken ? Json() : read_value(node, path, faults);
  Json out = Json::array();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string inner = join(path, std::to_string(i));
    faults.wrote(inner, {node.items[i].span, node.items[i].span});
    out.push_back(read_any(node.items[i], inner, faults));
  }
  return out;
}

}  // namespace dlrun::document
