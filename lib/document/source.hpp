// SPDX-License-Identifier: Apache-2.0
// Origin of a value: a text (file or --set) and a place in it. Lines and columns count from 1 here and everywhere
// above; columns count bytes inside and characters when shown.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::document {

/// A text as read: UTF-8, lines end in '\n', no byte order mark.
struct SourceText {
  std::string name;              ///< as shown to people: the path as it was given, or "--set"
  std::filesystem::path folder;  ///< relative paths in this text start here
  int order = 0;                 ///< the order in which texts were read; sorts faults
  std::string text;
  std::vector<std::size_t> line_starts;

  SourceText(std::string name, std::filesystem::path folder, int order, std::string text);
  /// Line `number` without its end; empty beyond the last.
  std::string_view line(int number) const;
};
using Source = std::shared_ptr<const SourceText>;

/// Part of one line. line 0: no place is known.
struct Span {
  Source source;
  int line = 0;
  int column = 1;  ///< byte of the line, from 1
  int length = 1;  ///< bytes, at least 1; never past the line's end but for a caret just behind it

  bool exists() const { return source && line > 0; }
};

/// "file:line:column", the column in characters; empty where there is none.
std::string to_string(const Span& span);

/// The value between quotes as a message shows it: control characters escaped, long ones cut.
std::string quote(std::string_view text);

}  // namespace dlrun::document
