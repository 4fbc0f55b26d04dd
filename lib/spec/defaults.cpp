// SPDX-License-Identifier: Apache-2.0
// Every default as YAML with comments, for `dlrun check --show-defaults`.
#include <fmt/format.h>

#include "spec/outside_keys.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

namespace {

constexpr int kCommentColumn = 36;

class Writer {
 public:
  std::string out;

  void line(int depth, const std::string& text, const std::string& comment) {
    const std::string start = std::string(std::size_t(depth) * 2, ' ') + text;
    out += comment.empty() ? start + "\n" : fmt::format("{:<{}} # {}\n", start, kCommentColumn, comment);
  }

  void table(const Table& keys, int depth) {
    for (const Key& key : keys) entry(key, depth);
  }

 private:
  void entry(const Key& key, int depth) {
    if (key.name == "data") return kinds(outside_data_key(), depth);
    if (key.name == "model") return model(depth);
    if (key.name == "space") return kinds(*key.element, depth, "space:", "  NAME:");
    if (key.name == "warm_start" || key.name == "final" || key.name == "winner") return absent_table(key, depth);
    if (key.form == Form::table) {
      line(depth, key.name + ":", note(key));
      return table(key.table, depth + 1);
    }
    if (key.form == Form::variant) return kinds(key, depth);
    if (key.form == Form::list && key.allows_one && key.element->form == Form::table) return one_table(key, depth);
    line(depth, key.required ? "# " + key.name + ":" : fmt::format("{}: {}", key.name, value(key)), note(key));
  }

  /// A section that is not there unless something is said in it.
  void absent_table(const Key& key, int depth) {
    Writer own;
    own.line(depth, key.name + ":", note(key));
    own.table(key.table, depth + 1);
    out += commented(own.out);
  }

  /// A list of tables, as a single one.
  void one_table(const Key& key, int depth) {
    Writer own;
    own.line(depth, key.name + ":", note(key));
    own.table(key.element->table, depth + 1);
    out += key.required ? own.out : commented(own.out);
  }

  static std::string value(const Key& key) {
    if (key.fallback.is_string()) {
      const std::string text = key.fallback.get<std::string>();
      return text.empty() ? "''" : text;
    }
    return to_text(key.fallback);
  }

  static std::string note(const Key& key) {
    const std::string end = key.required ? "; required" : key.otherwise.empty() ? "" : "; default: " + key.otherwise;
    return key.text + end;
  }

  /// The default kind is written out, the others as comments.
  void kinds(const Key& key, int depth, const std::string& head = {}, const std::string& inner = {}) {
    line(depth, head.empty() ? key.name + ":" : head, note(key));
    for (const Variant& variant : key.variants) {
      const bool is_default = key.fallback == variant.name;
      Writer own;
      own.line(depth + 1, fmt::format("{}: {}", key.tag, variant.name), variant.text);
      own.table(variant.table, depth + 1);
      out += is_default ? own.out : commented(inner.empty() ? own.out : indented(inner, own.out, depth));
    }
  }

  static std::string indented(const std::string& head, const std::string& text, int depth) {
    std::string out = std::string(std::size_t(depth) * 2, ' ') + head + "\n";
    for_each_line(text, [&](const std::string& line) { out += "  " + line + "\n"; });
    return out;
  }

  static std::string commented(const std::string& text) {
    std::string out;
    for_each_line(text, [&](const std::string& line) { out += (line[0] == '#' ? "" : "# ") + line + "\n"; });
    return out;
  }

  template <class Visit>
  static void for_each_line(const std::string& text, Visit visit) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      visit(text.substr(at, end - at));
      at = end + 1;
    }
  }

  void model(int depth) {
    line(depth, "model:", "the network; required");
    line(depth + 1, "# let: {width: 64}", "numbers by name, for attributes to compute with: out: 4 * width");
    line(depth + 1, "# outputs: {species: head1, aux: {from: side, target: species, auxiliary: true}}",
         "several, each with a loss: and metrics: under its name; else the last layer is the one");
    line(depth + 1, "nodes:", "layers, each reading the one above unless from: says otherwise");
    for (const Variant& layer : outside_layer_key().variants) {
      std::string text = "# - {op: " + layer.name;
      for (const Key& key : layer.table) {
        const bool is_common = key.name == "name" || key.name == "from" || key.name == "tags" || key.name == "role" ||
                               key.name == "share" || (key.name == "repeat" && layer.name != "group");
        if (!is_common) text += fmt::format(", {}: {}", key.name, key.required ? "…" : value(key));
      }
      line(depth + 1, text + "}", layer.text);
    }
  }
};

}  // namespace

std::string show_defaults() {
  Writer writer;
  writer.line(0, "# every key of a study with its default; what is commented out has none, or belongs to another kind",
              "");
  writer.table(study_keys(), 0);
  return writer.out;
}

}  // namespace dlrun::spec
