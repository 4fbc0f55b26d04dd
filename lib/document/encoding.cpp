// SPDX-License-Identifier: Apache-2.0
// Bytes to text: what is no plain UTF-8 is refused before a parser sees it.
#include <fmt/format.h>

#include <algorithm>

#include "document/parse.hpp"

namespace dlrun::document {

namespace {

/// Bytes of the character at `at`, 0 where it is no valid UTF-8 (overlong, surrogate, above U+10FFFF, cut).
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return is_overlong || is_beyond ? 0 : length;
}

bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == 0xC2) return static_cast<unsigned char>(text[at + 1]) < 0xA0;  // C1, U+0080 to U+009F
  return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
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
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      faults.error(span_at(source, at),
                   fmt::format("byte 0x{:02x} is no valid UTF-8", static_cast<unsigned char>(text[at])),
                   "save the file as UTF-8");
      return false;
    }
    if (is_control(text, at)) {
      const unsigned code = static_cast<unsigned char>(text[at + length - 1]);
      faults.error(span_at(source, at), fmt::format("control character U+{:04X} has no place in a study", code),
                   "remove it; in a double-quoted text write it as an escape");
      return false;
    }
    at += length;
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
