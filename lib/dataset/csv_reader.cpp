// SPDX-License-Identifier: Apache-2.0
#include "dataset/csv_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

char sniff(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const std::ptrdiff_t count = std::count(line.begin(), line.end(), candidate);
    if (count > most) best = candidate;
    most = std::max(most, count);
  }
  return best;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string name, char delimiter)
      : text_(text), name_(std::move(name)), delimiter_(delimiter) {}

  Table run() {
    const auto rows = std::size_t(std::count(text_.begin(), text_.end(), '\n')) + 1;
    table_.lines.reserve(rows);
    while (at_ < text_.size()) {
      row();
      if (table_.lines.size() == 1) table_.cells.reserve(std::min(rows * table_.columns, text_.size()));
    }
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(std::int64_t line, const std::string& what, const std::string& hint) const {
    throw DataError("path", what, hint, fmt::format("{}:{}", name_, line));
  }

  bool at_line_end() const {
    return at_ >= text_.size() || text_[at_] == '\n' ||
           (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }

  void skip_line_end() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size()) ++at_;
    ++line_;
  }

  void row() {
    if (at_line_end()) return skip_line_end();
    const std::int64_t line = line_;
    const std::size_t before = table_.cells.size();
    for (;;) {
      table_.cells.push_back(cell());
      if (at_line_end()) break;
      ++at_;  // the delimiter
    }
    skip_line_end();
    check_width(table_.cells.size() - before, line);
    table_.lines.push_back(line);
  }

  void check_width(std::size_t width, std::int64_t line) {
    if (table_.lines.empty()) table_.columns = width;
    if (width == table_.columns) return;
    fail(line, fmt::format("line {} has {} cells, but line {} has {}", line, width, table_.lines[0], table_.columns),
         "every row needs the same number; a cell with a delimiter in it needs quotes");
  }

  std::string_view cell() {
    while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != delimiter_) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return quoted_cell();
    const std::size_t begin = at_;
    while (!at_line_end() && text_[at_] != delimiter_) {
      if (text_[at_] == '\0')
        fail(line_, fmt::format("line {} has a zero byte: this is no text", line_), "is it another format, or UTF-16?");
      ++at_;
    }
    return trimmed(text_.substr(begin, at_ - begin));
  }

  /// What is between the quotes; a doubled quote stands for one.
  std::string_view quoted_cell() {
    const std::int64_t first_line = line_;
    const std::size_t begin = ++at_;
    bool has_doubled = false;
    for (;; ++at_) {
      if (at_ >= text_.size())
        fail(first_line, fmt::format("the quote opened in line {} is never closed", first_line), "");
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') continue;
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      has_doubled = true;
      ++at_;
    }
    const std::string_view raw = text_.substr(begin, at_++ - begin);
    check_after_quote();
    return has_doubled ? undouble(raw) : raw;
  }

  void check_after_quote() {
    while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != delimiter_) ++at_;
    if (at_line_end() || text_[at_] == delimiter_) return;
    fail(line_, fmt::format("line {} has text behind a closing quote", line_),
         "inside quotes, a quote is written twice");
  }

  std::string_view undouble(std::string_view raw) {
    std::string& plain = table_.unquoted.emplace_back();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      plain += raw[i];
      if (raw[i] == '"') ++i;
    }
    return plain;
  }

  std::string_view text_;
  std::string name_;
  char delimiter_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  Table table_;
};

}  // namespace

Table read_csv(std::string_view text, const std::string& name, char delimiter) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  return CsvReader(text, name, delimiter == '\0' ? sniff(text) : delimiter).run();
}

}  // namespace dlrun::dataset
