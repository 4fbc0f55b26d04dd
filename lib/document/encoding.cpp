// SPDX-License-Identifier: Apache-2.0
// Bytes to text: what is no plain UTF-8 is refused before a parser sees it.
#include <fmt/format.h>

#include <algorithm>

#include "document/parse.hpp"
#include "util/utf8.hpp"

namespace dlrun::document {

namespace {

bool is_control(std::uint32_t code) {
  const bool is_space = code == '\n' || code == '\t';
  return (code < 0x20 && !is_space) || (code >= 0x7F && code < 0xA0);
}

std::string with_unix_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

Span span_at(const Source& source, std::size_t byte) {
  const auto after = std::upper_bound(source->line_starts.begin(), source->line_starts.end(), byte);
  const int line = int(after - source->line_starts.begin());
  return {source, line, int(byte - *(after - 1)) + 1, 1};
}

/// The first byte that is no text, with what is wrong about it; nothing where all is well.
bool check_characters(const Source& source, Diagnostics& faults) {
  const std::string_view text = source->text;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (!character.is_valid) {
      faults.error(span_at(source, at), fmt::format("byte 0x{:02x} is no valid UTF-8", character.code),
                   "save the file as UTF-8");
      return false;
    }
    if (is_control(character.code)) {
      faults.error(span_at(source, at),
                   fmt::format("control character U+{:04X} has no place in a study", character.code),
                   "remove it; in a double-quoted text write it as an escape");
      return false;
    }
    at += character.bytes;
  }
  return true;
}

bool is_utf16(std::string_view text) {
  using namespace std::string_view_literals;
  return text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv) || text.starts_with("\0\0\xFE\xFF"sv);
}

}  // namespace

Source make_source(const std::string& name, const std::filesystem::path& folder, int order, const std::string& text,
                   Diagnostics& faults) {
  const auto refuse = [&](const std::string& message, const std::string& help) -> Source {
    faults.error({std::make_shared<SourceText>(name, folder, order, "")}, message, help);
    return nullptr;
  };
  if (text.size() > kMaxBytes) {
    return refuse(fmt::format("the file has {} bytes, more than {} MiB", text.size(), kMaxBytes >> 20),
                  "a study file has a few kilobytes; is this the data?");
  }
  if (is_utf16(text)) return refuse("the file is UTF-16 or UTF-32", "save it as UTF-8");
  const std::string_view body = std::string_view(text).substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  Source source = std::make_shared<SourceText>(name, folder, order, with_unix_line_ends(body));
  return check_characters(source, faults) ? source : nullptr;
}

}  // namespace dlrun::document
