// SPDX-License-Identifier: Apache-2.0
// yaml-cpp's events to our tree. Events, not its nodes: they carry marks, and limits are kept before anything is
// expanded. yaml-cpp counts lines and columns from 0.
#include "document/parse.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

#include "document/syntax_fault.hpp"

namespace dlrun::document {

namespace {

/// Ends the parse; what is wrong has been reported.
struct Refused {};

struct Built {
  Node node;
  std::size_t nodes = 1;  ///< number of nodes with all below, aliases expanded
  std::size_t bytes = 0;  ///< length of all scalars below
};

/// A list or map whose end has not come yet.
struct Open {
  Built built;
  YAML::anchor_t anchor = 0;
  bool is_flow = false;  ///< [ or {
  bool has_key = false;
  std::string key;
  Span key_span;
  std::unordered_map<std::string, std::size_t> places;  ///< key -> index in entries
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(Source source, Diagnostics& faults) : source_(std::move(source)), faults_(faults) {}

  std::optional<Node> take_root() { return std::move(root_); }

  /// The innermost '[' or '{' that has no end yet.
  std::optional<Span> unclosed() const {
    if (stack_.empty() || !stack_.back().is_flow) return std::nullopt;
    return stack_.back().built.node.span;
  }

  /// Lines inside of blocks and quotes, where a tab is content. `end`: first line that was not read, from 0
  const std::set<int>& text_lines(int end) {
    end_text(end);
    return text_lines_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    end_text(mark.line);
    if (documents_++ == 0) return;
    refuse(span(mark), "a study file holds one YAML document, here begins another",
           "remove the line '---' and what belongs to the other");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    end_text(mark.line);
    Built built;
    built.node.span = null_span(mark);
    charge(built, built.node.span);
    add_value(std::move(built), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    end_text(mark.line);
    check_tag(mark, tag);
    check_quote(mark);
    if (tag == "!") text_ = mark.line;
    Built built;
    built.bytes = value.size();
    built.node.kind = Node::Kind::scalar;
    if (value.find('\0') != std::string::npos)
      refuse(span(mark), "a text has a zero byte, which no name, path or argument can have", "remove \"\\0\"");
    built.node.is_plain = tag != "!";
    built.node.text = value;
    built.node.span = scalar_span(mark, built.node);
    charge(built, built.node.span);
    add_value(std::move(built), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    end_text(mark.line);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      refuse(span(mark), "an alias stands inside of what it names, which would never end", "write the value out");
    }
    charge(found->second, span(mark));
    Built copy = found->second;
    copy.node.span = span(mark);
    add_value(std::move(copy), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Node::Kind::list, mark, tag, anchor);
    stack_.back().is_flow = style == YAML::EmitterStyle::Flow;
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Node::Kind::map, mark, tag, anchor);
    stack_.back().is_flow = style == YAML::EmitterStyle::Flow;
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  /// A block or a quoted text lasts until the line in which the next value begins.
  void end_text(int line) {
    if (!text_) return;
    for (int inside = *text_ + 1; inside < line; ++inside) text_lines_.insert(inside);
    text_.reset();
  }

  [[noreturn]] void refuse(const Span& at, const std::string& message, const std::string& help) {
    faults_.error(at, message, help);
    throw Refused{};
  }

  Span span(const YAML::Mark& mark) const {
    const int line = std::max(mark.line, 0) + 1;
    const int width = int(source_->line(line).size());
    return {source_, line, std::min(std::max(mark.column, 0), width) + 1, 1};
  }

  std::string_view text_at(const Span& at) const { return source_->line(at.line).substr(std::size_t(at.column) - 1); }

  Span scalar_span(const YAML::Mark& mark, const Node& node) const {
    Span at = span(mark);
    const std::string_view rest = text_at(at);
    const bool is_quoted = !rest.empty() && (rest[0] == '"' || rest[0] == '\'');
    if (node.is_plain && rest.starts_with(node.text)) {
      at.length = std::max(1, int(node.text.size()));
    } else if (is_quoted) {
      at.length = int(quoted_length(rest));
    } else if (node.is_plain) {  // goes on in the next line
      at.length = std::max(1, int(rest.size()));
    }
    return at;
  }

  /// yaml-cpp takes the end of the file for a closing quote.
  void check_quote(const YAML::Mark& mark) {
    const Span at = span(mark);
    const std::string_view rest = std::string_view(source_->text)
                                      .substr(source_->line_starts[std::size_t(at.line) - 1])
                                      .substr(std::size_t(at.column) - 1);
    const bool is_quoted = !rest.empty() && (rest[0] == '"' || rest[0] == '\'');
    if (is_quoted && !closing_quote(rest)) refuse(at, "this quote is not closed", "end the text with the same quote");
  }

  /// Length of a quoted scalar from its opening quote to the closing one, or to the end of the line.
  static std::size_t quoted_length(std::string_view rest) {
    return closing_quote(rest).value_or(std::max<std::size_t>(1, rest.size()) - 1) + 1;
  }

  static std::optional<std::size_t> closing_quote(std::string_view rest) {
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == '\\' && rest[0] == '"') {
        ++i;
      } else if (rest[i] == rest[0]) {
        const bool is_doubled = rest[0] == '\'' && i + 1 < rest.size() && rest[i + 1] == '\'';
        if (!is_doubled) return i;
        ++i;
      }
    }
    return std::nullopt;
  }

  /// yaml-cpp marks an absent value at the token after it, maybe lines away: the key is what a person can find.
  Span null_span(const YAML::Mark& mark) const {
    Span at = span(mark);
    for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
      if (!text_at(at).starts_with(word)) continue;
      at.length = int(word.size());
      return at;
    }
    return !stack_.empty() && stack_.back().has_key ? stack_.back().key_span : at;
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(span(mark), "tags as " + quote(tag) + " are not used here",
           "remove the tag; quotes make a text of what looks like a number");
  }

  /// Counts what is new: a leaf, an opened list or map, or all that an alias brings along.
  void charge(const Built& built, const Span& at) {
    nodes_ += built.nodes;
    bytes_ += built.bytes;
    if (nodes_ > kMaxNodes) {
      refuse(at, fmt::format("the file has more than {} values, aliases expanded", kMaxNodes), {});
    }
    if (bytes_ > kMaxBytes) {
      refuse(at, fmt::format("the file's texts have more than {} MiB, aliases expanded", kMaxBytes >> 20), {});
    }
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    end_text(mark.line);
    check_tag(mark, tag);
    if (is_key_due()) {
      refuse(span(mark), "a bracket stands where a key is due",
             "write name: value; is a bracket not closed, or a quote missing?");
    }
    if (stack_.size() >= std::size_t(kMaxDepth)) {
      refuse(span(mark), fmt::format("values nest deeper than {}", kMaxDepth), {});
    }
    Open open;
    open.anchor = anchor;
    open.built.node.kind = kind;
    open.built.node.span = span(mark);
    charge(open.built, open.built.node.span);
    stack_.push_back(std::move(open));
  }

  void close() {
    Open open = std::move(stack_.back());
    stack_.pop_back();
    add_value(std::move(open.built), open.anchor);
  }

  bool is_key_due() const { return !stack_.empty() && stack_.back().built.node.is_map() && !stack_.back().has_key; }

  /// A finished value goes where it belongs: a key, an entry, an item, or the root.
  void add_value(Built built, YAML::anchor_t anchor) {
    if (is_key_due()) return take_key(built.node);
    if (anchor != 0) {
      charge(built, built.node.span);
      anchors_.insert_or_assign(anchor, built);
    }
    if (stack_.empty()) {
      root_ = std::move(built.node);
      return;
    }
    Open& parent = stack_.back();
    parent.built.nodes += built.nodes;
    parent.built.bytes += built.bytes;
    if (parent.built.node.is_list()) {
      parent.built.node.items.push_back(std::move(built.node));
    } else {
      add_entry(parent, std::move(built.node));
    }
  }

  /// Between braces a key that is too long arrives as none.
  static bool is_long(const Span& key) {
    const std::string_view rest = key.source->line(key.line).substr(std::size_t(key.column) - 1);
    const std::size_t colon = rest.find(": ");
    return colon != std::string_view::npos && colon > kLongestKey;
  }

  void take_key(const Node& key) {
    if (!key.is_scalar() && is_long(key.span)) refuse(key.span, kLongKey, kLongKeyHint);
    if (!key.is_scalar()) refuse(key.span, "a key must be plain text", "write name: value");
    if (key.text == "<<" && key.is_plain) {
      refuse(key.span, "merge keys '<<' are not part of YAML 1.2", "use extends: and a file of its own");
    }
    stack_.back().has_key = true;
    stack_.back().key = key.text;
    stack_.back().key_span = key.span;
  }

  void add_entry(Open& map, Node value) {
    map.has_key = false;
    std::vector<Entry>& entries = map.built.node.entries;
    const auto [place, is_new] = map.places.try_emplace(map.key, entries.size());
    if (is_new) {
      entries.push_back({map.key, map.key_span, std::move(value)});
      return;
    }
    faults_.add({map.key_span,
                 "key " + quote(map.key) + " is given twice in one map",
                 "keep one of them",
                 {{entries[place->second].key_span, "here first"}},
                 false});
  }

  Source source_;
  Diagnostics& faults_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Built> anchors_;
  std::optional<Node> root_;
  std::optional<int> text_;   ///< line, from 0, in which the newest block or quoted text begins
  std::set<int> text_lines_;  ///< further lines of such texts, from 0
};

/// YAML forbids tabs as indentation, but yaml-cpp's messages for it say other things, or nothing.
/// @param texts  lines, from 0, where a tab is content
bool check_tabs(const Source& source, const std::set<int>& texts, Diagnostics& faults) {
  for (int line = 1; line <= int(source->line_starts.size()); ++line) {
    const std::string_view text = source->line(line);
    const std::size_t content = text.find_first_not_of(" \t");
    const std::size_t tab = text.find('\t');
    if (content == std::string_view::npos || tab >= content || text[content] == '#') continue;
    if (texts.contains(line - 1)) continue;
    faults.error({source, line, int(tab) + 1, 1}, "a tab cannot indent", "indent with spaces");
    return false;
  }
  return true;
}

void report(const YAML::Exception& fault, const Source& source, const TreeBuilder& builder, Diagnostics& faults) {
  Span at{source, 1, 1, 1};
  if (!fault.mark.is_null()) {
    at.line = std::min(fault.mark.line + 1, int(source->line_starts.size()));
    at.column = std::min(fault.mark.column, int(source->line(at.line).size())) + 1;
  }
  report_syntax(fault.msg, at, builder.unclosed(), faults);
}

}  // namespace

std::optional<Node> parse(const Source& source, Diagnostics& faults, std::size_t start) {
  Diagnostics own;
  TreeBuilder builder(source, own);
  int end = int(source->line_starts.size());
  bool is_whole = false;
  try {
    std::istringstream stream(std::string(start, ' ') + source->text.substr(start));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    is_whole = true;
  } catch (const Refused&) {
  } catch (const YAML::Exception& fault) {
    if (!fault.mark.is_null()) end = fault.mark.line;
    report(fault, source, builder, own);
  }
  if (!check_tabs(source, builder.text_lines(end), faults)) return std::nullopt;
  for (const Diagnostic& fault : own.list()) faults.add(fault);
  if (!is_whole) return std::nullopt;
  std::optional<Node> root = builder.take_root();
  if (root) return root;
  Node empty;
  empty.span = {source, 1, 1, 1};
  return empty;
}

}  // namespace dlrun::document
