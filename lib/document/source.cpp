// SPDX-License-Identifier: Apache-2.0
#include "document/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "util/utf8.hpp"

namespace dlrun::document {

SourceText::SourceText(std::string n, std::filesystem::path f, int o, std::string t)
    : name(std::move(n)), folder(std::move(f)), order(o), text(std::move(t)), line_starts{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts.push_back(i + 1);
  }
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || std::size_t(number) > line_starts.size()) return {};
  const std::size_t start = line_starts[std::size_t(number) - 1];
  const std::size_t end = std::min(text.find('\n', start), text.size());
  return std::string_view(text).substr(start, end - start);
}

std::string to_string(const Span& span) {
  if (!span.exists()) return {};
  const std::string_view before = span.source->line(span.line).substr(0, std::size_t(span.column) - 1);
  const auto inner = std::count_if(before.begin(), before.end(), continues_character);
  return fmt::format("{}:{}:{}", span.source->name, span.line, span.column - int(inner));
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i >= kLongest && !continues_character(text[i])) {
      out += "…";
      break;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_control = byte < 0x20 || byte == 0x7F;
    if (is_control) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out + "'";
}

}  // namespace dlrun::document
