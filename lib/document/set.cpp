// SPDX-License-Identifier: Apache-2.0
// --set a.b.c=value: a value from the shell, put where the dotted path says.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "document/load.hpp"
#include "document/parse.hpp"
#include "util/edit_distance.hpp"

namespace dlrun::document {

namespace {

const std::string* name_of(const Node& item) {
  const Node* name = item.find("name");
  return name != nullptr && name->is_scalar() ? &name->text : nullptr;
}

Node* element(Node& list, const std::string& key) {
  for (Node& item : list.items) {
    const std::string* name = name_of(item);
    if (name != nullptr && *name == key) return &item;
  }
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(key.data(), key.data() + key.size(), number);
  const bool is_number = fault == std::errc() && end == key.data() + key.size();
  return is_number && number < list.items.size() ? &list.items[number] : nullptr;
}

Node* child(Node& parent, const std::string& key) {
  if (parent.is_list()) return element(parent, key);
  Entry* entry = parent.find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

/// One --set being applied.
class Setter {
 public:
  Setter(Source source, std::size_t path_length, Diagnostics& faults)
      : source_(std::move(source)), path_(source_->text.substr(0, path_length)), faults_(faults) {}

  void put(Node& root, Node value) { put(root, 0, std::move(value)); }

 private:
  /// Names may hold dots (a layer "stem.conv"), so the longest that is there is taken first.
  void put(Node& at, std::size_t from, Node value) {
    for (std::size_t end = path_.size(); end != std::string::npos && end > from; end = path_.rfind('.', end - 1)) {
      const std::string key = path_.substr(from, end - from);
      Node* next = child(at, key);
      if (next == nullptr) continue;
      if (end < path_.size()) return put(*next, end + 1, std::move(value));
      return replace(at, *next, key, span(from, end), std::move(value));
    }
    create(at, from, std::move(value));
  }

  void replace(Node& parent, Node& old, const std::string& key, const Span& at, Node value) {
    if (value.is_null() && parent.is_map()) {
      std::erase_if(parent.entries, [&](const Entry& e) { return e.key == key; });
      return;
    }
    if (Entry* entry = parent.find_entry(key)) entry->key_span = at;
    old = std::move(value);
  }

  void create(Node& at, std::size_t from, Node value) {
    const std::size_t end = std::min(path_.find('.', from), path_.size());
    const std::string key = path_.substr(from, end - from);
    if (at.is_list()) return report_element(at, key, span(from, end));
    if (at.is_scalar()) {
      faults_.error(span(from, end), quote(path_.substr(0, from - 1)) + " is a single value, it has no " + quote(key));
      return;
    }
    at.kind = Node::Kind::map;
    if (!at.span.exists()) at.span = span(from, end);
    if (value.is_null() && end == path_.size()) return report_missing(at, key, span(from, end));
    at.entries.push_back({key, span(from, end), {}});
    Node& made = at.entries.back().value;
    made.span = span(from, end);
    if (end == path_.size()) {
      made = std::move(value);
    } else {
      create(made, end + 1, std::move(value));
    }
  }

  void report_missing(const Node& map, const std::string& key, const Span& at) {
    std::vector<std::string> names;
    for (const Entry& entry : map.entries) names.push_back(entry.key);
    const std::string nearest = nearest_name(key, names);
    faults_.error(at, "there is no " + quote(key) + " to remove",
                  nearest.empty() ? "the file does not set it" : "did you mean " + quote(nearest) + "?");
  }

  void report_element(const Node& list, const std::string& key, const Span& at) {
    std::vector<std::string> names;
    for (const Node& item : list.items) {
      if (const std::string* name = name_of(item)) names.push_back(*name);
    }
    const std::string nearest = nearest_name(key, names);
    faults_.error(at, "the list has no element " + quote(key),
                  nearest.empty() ? fmt::format("elements are named by 'name:' or counted from 0 to {}",
                                                std::max<std::size_t>(list.items.size(), 1) - 1)
                                  : "did you mean " + quote(nearest) + "?");
  }

  Span span(std::size_t from, std::size_t end) const {
    return {source_, 1, int(from) + 1, std::max(1, int(end - from))};
  }

  Source source_;
  std::string path_;
  Diagnostics& faults_;
};

bool is_path(const std::string& path) {
  const bool has_gap =
      path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != std::string::npos;
  return !has_gap && std::count(path.begin(), path.end(), '.') < kMaxDepth && path.find('\n') == std::string::npos;
}

}  // namespace

void apply_set(Node& root, const std::string& set, int order, const Substitution& environment, Diagnostics& faults) {
  const Source source = make_source("--set", std::filesystem::current_path(), order, set, faults);
  if (!source) return;
  const std::size_t equals = source->text.find('=');
  if (equals == std::string::npos || !is_path(source->text.substr(0, equals))) {
    faults.error({source, 1, 1, 1}, quote(set) + " sets nothing", "write --set key.key=value");
    return;
  }
  if (source->text.find_first_not_of(" \t", equals + 1) == std::string::npos) {
    faults.error({source, 1, 1, int(equals) + 1}, quote(set) + " has no value: is a variable of the shell empty?",
                 "write KEY=null to remove the key, or KEY='\"\"' for an empty text");
    return;
  }
  std::optional<Node> value = parse(source, faults, equals + 1);
  if (!value) return;
  if (value->is_null() && source->text[source->text.find_first_not_of(" \t", equals + 1)] == '#') {
    faults.error({source, 1, 1, int(equals) + 1}, quote(set) + " has no value: '#' begins a comment",
                 "write the text in quotes, KEY='\"#…\"'");
    return;
  }
  substitute(*value, environment, faults);
  Setter(source, equals, faults).put(root, std::move(*value));
}

}  // namespace dlrun::document
