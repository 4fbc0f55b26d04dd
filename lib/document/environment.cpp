// SPDX-License-Identifier: Apache-2.0
#include "document/environment.hpp"

#include <cctype>
#include <cstdlib>

#include "document/parse.hpp"

namespace dlrun::document {

namespace {

/// Name and fallback between "${" and "}".
struct Reference {
  std::string name;
  std::optional<std::string> fallback;
};

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  }
  return true;
}

std::optional<Reference> read_reference(const std::string& inside) {
  const std::size_t mark = inside.find(":-");
  Reference out{inside.substr(0, mark), std::nullopt};
  if (mark != std::string::npos) out.fallback = inside.substr(mark + 2);
  return is_name(out.name) ? std::optional(out) : std::nullopt;
}

/// One scalar being rewritten.
class Rewriter {
 public:
  Rewriter(Node& node, const Substitution& rules, Diagnostics& faults, std::size_t& bytes)
      : node_(node), rules_(rules), faults_(faults), bytes_(bytes) {}

  void run() {
    const std::size_t errors = faults_.error_count();
    rewrite();
    node_.is_broken = faults_.error_count() > errors;
  }

 private:
  void rewrite() {
    const std::string& text = node_.text;
    std::size_t at = 0;
    for (std::size_t mark = text.find("${"); mark != std::string::npos; mark = text.find("${", at)) {
      const bool is_escaped = mark > at && text[mark - 1] == '$';
      out_ += text.substr(at, mark - at - (is_escaped ? 1 : 0));
      at = is_escaped ? keep_braces(mark) : replace(mark);
      if (at == std::string::npos) return;
    }
    out_ += text.substr(at);
    node_.text = out_;
    if (replaced_) node_.is_plain = true;
  }

  std::size_t keep_braces(std::size_t mark) {
    out_ += "${";
    return mark + 2;
  }

  std::size_t replace(std::size_t mark) {
    const std::size_t end = node_.text.find('}', mark);
    const std::string inside = end == std::string::npos ? "" : node_.text.substr(mark + 2, end - mark - 2);
    const std::optional<Reference> reference = read_reference(inside);
    if (!reference) {
      faults_.error(node_.span, quote(node_.text.substr(mark)) + " is no reference to a variable",
                    "write ${NAME} or ${NAME:-default}, and $${ for the two characters themselves");
      return std::string::npos;
    }
    if (reference->fallback && reference->fallback->find("${") != std::string::npos) {
      faults_.error(node_.span, quote(node_.text.substr(mark)) + " names a variable in the default of another",
                    "write the default out, or set " + quote(reference->name));
      return std::string::npos;
    }
    if (rules_.keep.contains(reference->name) && !reference->fallback) {
      out_ += node_.text.substr(mark, end + 1 - mark);
      return end + 1;
    }
    return insert(*reference) ? end + 1 : std::string::npos;
  }

  bool insert(const Reference& reference) {
    std::optional<std::string> value = rules_.lookup(reference.name);
    if (!value || value->empty()) value = reference.fallback;
    if (!value) {
      faults_.error(node_.span, "the environment variable " + quote(reference.name) + " is not set",
                    "set it, or write ${" + reference.name + ":-default}");
      return false;
    }
    Diagnostics inner;
    bytes_ += value->size();
    if (bytes_ > kMaxBytes || !make_source("", {}, 0, *value, inner)) {
      faults_.error(node_.span, "the environment variable " + quote(reference.name) + " holds no printable text");
      return false;
    }
    out_ += *value;
    replaced_ = true;
    return true;
  }

  Node& node_;
  const Substitution& rules_;
  Diagnostics& faults_;
  std::size_t& bytes_;  ///< inserted so far, in the whole tree
  std::string out_;
  bool replaced_ = false;
};

}  // namespace

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

namespace {

void walk(Node& node, const Substitution& rules, Diagnostics& faults, std::size_t& bytes) {
  if (node.is_scalar()) Rewriter(node, rules, faults, bytes).run();
  for (Node& item : node.items) walk(item, rules, faults, bytes);
  for (Entry& entry : node.entries) walk(entry.value, rules, faults, bytes);
}

}  // namespace

void substitute(Node& node, const Substitution& rules, Diagnostics& faults) {
  std::size_t bytes = 0;
  walk(node, rules, faults, bytes);
}

}  // namespace dlrun::document
