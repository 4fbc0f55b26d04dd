// SPDX-License-Identifier: Apache-2.0
// Every key of a study as a page of Markdown: a table for each section and each of its kinds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "options/form.hpp"
#include "spec/outside_keys.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

namespace {

const char* const kHead =
    "# All keys of a study\n\n"
    "Printed by `dlrun schema --markdown` from the table that `dlrun check` checks with. Beside what stands here "
    "every\n"
    "map may say `extends: FILE`, and every value may come from the environment as `${NAME}`. The last column says "
    "what\n"
    "a search or a component of an ablation may set. It may also set attributes of layers that are no texts, as\n"
    "`model.LAYER.KEY`, numbers of `model.let`, the numbers of steps in `data.augment`, and `data.split.fold`.\n";

/// The keys behind a key: those of data and layers stand in tables of other rooms.
const Key& written(const Key& key) {
  if (key.name == "data") return outside_data_key();
  return key.name == "model" || key.form == Form::nodes ? outside_layer_key() : key;
}

bool has_tables(const Key& key) { return !key.table.empty() || !key.variants.empty(); }

/// The key that has the tables: the key itself, or what its list or map holds.
const Key& holder(const Key& key) {
  const Key* at = &written(key);
  while (!has_tables(*at) && at->element) at = at->element.get();
  return *at;
}

std::string inner_place(const Key& key, const std::string& place) {
  if (key.name == "model") return place + ".nodes[]";
  const bool is_list = key.form == Form::list || key.form == Form::nodes;
  return place + (is_list ? "[]" : key.form == Form::map_of ? ".NAME" : "");
}

/// A cell of a table: its bar would end it.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string default_of(const Key& key) {
  if (key.required) return "required";
  if (!key.otherwise.empty()) return cell(key.otherwise);
  return key.fallback.is_null() ? "" : "`" + cell(to_text(key.fallback)) + "`";
}

std::string signature(const Key& key) {
  std::string all = key.name + '\n' + key.text + '\n' + options::describe_forms(key) + '\n' + default_of(key) +
                    (key.is_searchable ? '+' : '-');
  for (const Key& one : key.table) all += signature(one);
  for (const Variant& kind : key.variants) {
    all += kind.name + '\n' + kind.text;
    for (const Key& one : kind.table) all += signature(one);
  }
  return key.element ? all + signature(*key.element) : all;
}

bool has(const Table& table, const Key& key) {
  const Key* found = find(table, key.name);
  return found != nullptr && signature(*found) == signature(key);
}

/// Keys that all kinds have, the same for each.
Table common_keys(const std::vector<Variant>& kinds) {
  Table common;
  for (const Key& key : kinds.front().table) {
    const auto has_it = [&](const Variant& kind) { return has(kind.table, key); };
    if (std::all_of(kinds.begin(), kinds.end(), has_it)) common.push_back(key);
  }
  return common;
}

Table without(const Table& table, const Table& others) {
  Table rest;
  for (const Key& key : table) {
    if (!has(others, key)) rest.push_back(key);
  }
  return rest;
}

class Reference {
 public:
  std::string write() {
    table("study file", "", study_keys());
    return std::move(out_);
  }

 private:
  void table(const std::string& title, const std::string& place, const Table& keys, const std::string& text = "") {
    out_ += fmt::format("\n## {}\n{}", title, text.empty() ? "" : "\n" + text + "\n");
    if (!keys.empty()) out_ += "\n| key | value | default | meaning | may be set |\n| --- | --- | --- | --- | --- |\n";
    std::vector<std::pair<const Key*, std::string>> sections;
    for (const Key& key : keys) {
      const Key& inner = holder(key);
      const std::string there = inner_place(key, place.empty() ? key.name : place + "." + key.name);
      if (has_tables(inner) && is_new(inner, there)) sections.emplace_back(&inner, there);
      row(key);
    }
    for (const auto& [inner, there] : sections) section(*inner, there);
  }

  void section(const Key& key, const std::string& place) {
    if (!key.table.empty()) return table(title_of(place), place, key.table);
    const std::string title = title_of(place);
    const Table common = common_keys(key.variants);
    if (!common.empty()) table(title, place, common, "Every kind has:");
    for (const Variant& kind : key.variants) {
      const std::string before = std::exchange(kind_, fmt::format("{{{}: {}}}", key.tag, kind.name));
      table(fmt::format("{}: {}", title, kind_), place, without(kind.table, common), kind.text);
      kind_ = before;
    }
  }

  /// Sections of other kinds may have the same place.
  std::string title_of(const std::string& place) {
    const std::string& kind = kinds_.try_emplace(place, kind_).first->second;
    return kind == kind_ ? place : fmt::format("{} in {}", place, kind_);
  }

  void row(const Key& key) {
    out_ += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, cell(value_of(key)), default_of(key),
                        cell(key.text), key.is_searchable ? "yes" : "");
  }

  std::string value_of(const Key& key) const {
    const Key& inner = holder(key);
    if (has_tables(inner)) return container_of(key, "section `" + places_.at(signature(inner)) + "`");
    return key.element ? container_of(key, value_of(*key.element)) : options::describe_forms(key);
  }

  static std::string container_of(const Key& key, const std::string& what) {
    if (key.form == Form::list) return "a list of: " + what + (key.allows_one ? "; or one of them" : "");
    if (key.form == Form::map_of) return "a map of names to: " + what;
    return what;
  }

  /// Sections of equal content stand once, where they come first.
  bool is_new(const Key& key, const std::string& place) { return places_.try_emplace(signature(key), place).second; }

  std::string out_ = kHead;
  std::string kind_;                           ///< kind that is being written
  std::map<std::string, std::string> places_;  ///< places of sections, by their content
  std::map<std::string, std::string> kinds_;   ///< kinds in which places came first
};

}  // namespace

std::string reference() { return Reference().write(); }

}  // namespace dlrun::spec
