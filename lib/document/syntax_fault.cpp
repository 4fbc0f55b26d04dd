// SPDX-License-Identifier: Apache-2.0
#include "document/syntax_fault.hpp"

#include <algorithm>
#include <string_view>

namespace dlrun::document {

namespace {

std::string_view text_of(const Span& span) {
  return span.source->line(span.line).substr(std::size_t(span.column) - 1, std::size_t(span.length));
}

/// The key before the colon at which the parser stumbled, where it is too long to be one.
std::optional<Span> long_key(const Source& source, const Span& colon) {
  const std::string_view text = source->line(colon.line).substr(0, std::size_t(colon.column) - 1);
  const std::size_t begin = text.find_last_of("{,") == std::string_view::npos ? 0 : text.find_last_of("{,") + 1;
  const std::size_t content = text.find_first_not_of(" -?", begin);
  if (content == std::string_view::npos || text.size() - content <= kLongestKey) return std::nullopt;
  return Span{source, colon.line, int(content) + 1, int(text.size() - content)};
}

/// A line that says neither `name: value` nor `name:`, just above where the parser stumbled.
std::optional<Span> colonless_line(const Source& source, int line) {
  while (--line > 0) {
    const std::string_view text = source->line(line);
    const std::size_t content = text.find_first_not_of(' ');
    if (content == std::string_view::npos || text[content] == '#') continue;
    const std::string_view body = text.substr(content);
    const bool has_colon = body.find(": ") != std::string_view::npos || body.ends_with(":") || body.starts_with("- ");
    return has_colon ? std::nullopt : std::optional(Span{source, line, int(content) + 1, int(body.size())});
  }
  return std::nullopt;
}

/// An unquoted `${NAME}` in the line of `bracket` and behind it: its brace would open a map inside.
std::optional<Span> bare_variable(const Source& source, const Span& bracket) {
  const std::string_view text = source->line(bracket.line);
  char quote = 0;
  for (std::size_t at = std::size_t(bracket.column); at + 1 < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
    } else if (quote == 0 && text.substr(at, 2) == "${") {
      const std::size_t end = std::min(text.find('}', at), text.size() - 1);
      return Span{source, bracket.line, int(at) + 1, int(end - at) + 1};
    }
  }
  return std::nullopt;
}

/// A key that stands deeper than the one above it, which has a value already: the first one that is written so.
std::optional<Span> deeper_line(const Source& source, int line) {
  const std::string_view text = source->line(line);
  const std::size_t content = text.find_first_not_of(' ');
  while (content != std::string_view::npos && --line > 0) {
    const std::string_view above = source->line(line);
    const std::size_t begin = above.find_first_not_of(' ');
    if (begin == std::string_view::npos || above[begin] == '#') continue;
    const bool has_value = above.find(": ", begin) != std::string_view::npos && above[begin] != '-';
    return has_value && begin < content ? std::optional(Span{source, line, int(begin) + 1, int(above.size() - begin)})
                                        : std::nullopt;
  }
  return std::nullopt;
}

void report_bracket(const Span& bracket, Diagnostics& faults) {
  const Source& source = bracket.source;
  if (const auto variable = bare_variable(source, bracket)) {
    const std::string text(text_of(*variable));
    return faults.error(*variable, quote(text) + " needs quotes inside brackets", "write \"" + text + "\"");
  }
  faults.error(bracket, quote(text_of({source, bracket.line, bracket.column, 1})) + " is not closed",
               "the bracket that ends it is missing, or a comma inside");
}

bool report_deeper(const Span& at, Diagnostics& faults) {
  const auto above = deeper_line(at.source, at.line);
  if (!above) return false;
  faults.add({at,
              "this line stands deeper than the one above, which has a value already",
              "begin both in the same column",
              {{*above, "the line above"}},
              false});
  return true;
}

/// A colon at which no value may begin.
void report_colon(const std::string& message, const Span& at, Diagnostics& faults) {
  if (const auto key = long_key(at.source, at)) return faults.error(*key, kLongKey, kLongKeyHint);
  if (const auto line = colonless_line(at.source, at.line))
    return faults.error(*line, "this line says no name: value", "a colon with a space after it parts them");
  if (report_deeper(at, faults)) return;
  faults.error(at, message, "a text with a colon and a space in it needs quotes");
}

}  // namespace

void report_syntax(const std::string& message, const Span& at, const std::optional<Span>& unclosed,
                   Diagnostics& faults) {
  const bool is_flow_end = message.find("flow not found") != std::string::npos;
  if (unclosed && is_flow_end) return report_bracket(*unclosed, faults);
  const std::string text = "this is no valid YAML: " + message;
  if (message.find("illegal map value") != std::string::npos) return report_colon(text, at, faults);
  if (message.find("end of map not found") != std::string::npos && report_deeper(at, faults)) return;
  const bool is_token = message.find("unknown token") != std::string::npos;
  faults.error(at, text, is_token ? "a text that begins with " + quote(text_of(at)) + " needs quotes" : "");
}

}  // namespace dlrun::document
