// SPDX-License-Identifier: Apache-2.0
#include "dataset/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dataset/byte_source.hpp"
#include "dataset/bytes.hpp"
#include "dataset/column.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

/// Whether a line is numbers between semicolons, with decimal commas, of which there are as many or more.
bool has_commas_in_numbers(std::string_view line) {
  if (line.find(';') == std::string_view::npos || line.find(',') == std::string_view::npos) return false;
  while (!line.empty()) {
    const std::string_view cell = line.substr(0, line.find(';'));
    if (!parse_number(cell) && !has_decimal_comma(cell)) return false;
    line.remove_prefix(std::min(cell.size() + 1, line.size()));
  }
  return true;
}

char sniff(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (has_commas_in_numbers(line)) return ';';
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
  /// @param is_last  false: text follows this one, and a row that it cuts off is left alone
  CsvReader(std::string_view text, std::string name, const CsvState& state, bool is_last = true)
      : text_(text), name_(std::move(name)), state_(state), is_last_(is_last), line_(state.line) {
    table_.columns = state.columns;
  }

  Table read_all() {
    const auto rows = std::size_t(std::count(text_.begin(), text_.end(), '\n')) + 1;
    table_.lines.reserve(rows);
    while (at_ < text_.size()) {
      row();
      if (table_.lines.size() == 1) table_.cells.reserve(std::min(rows * table_.columns, text_.size()));
    }
    return std::move(table_);
  }

  Table read_rows(std::size_t most) {
    while (at_ < text_.size() && table_.rows() < most && !is_cut_) row();
    return std::move(table_);
  }

  /// Behind the last whole row, and its place in the text.
  CsvState state() const { return state_; }
  std::size_t done() const { return done_; }

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
    const std::int64_t line = line_;
    const std::size_t before = table_.cells.size();
    if (!at_line_end()) cells();
    skip_line_end();
    is_cut_ = !is_last_ && at_ == text_.size() && text_.back() != '\n';
    if (is_cut_) return table_.cells.resize(before);
    if (table_.cells.size() > before) keep_row(table_.cells.size() - before, line);
    done_ = at_;
    state_.line = line_;
  }

  void cells() {
    for (const std::size_t before = table_.cells.size();; ++at_) {  // the delimiter
      table_.cells.push_back(cell());
      if (table_.cells.size() - before > kMostCells)
        fail(line_, fmt::format("line {} has more than {} cells", line_, kMostCells), "is it a table of text?");
      if (at_line_end()) return;
    }
  }

  void keep_row(std::size_t width, std::int64_t line) {
    if (state_.first_line == 0) {
      state_.first_line = line;
      state_.columns = table_.columns = width;
    }
    if (width != table_.columns) {
      fail(line,
           fmt::format("line {} has {} cells, but line {} has {}", line, width, state_.first_line, table_.columns),
           "every row needs the same number; a cell with a delimiter in it needs quotes");
    }
    table_.lines.push_back(line);
  }

  std::string_view cell() {
    while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != state_.delimiter) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return quoted_cell();
    const std::size_t begin = at_;
    while (!at_line_end() && text_[at_] != state_.delimiter) {
      if (text_[at_] == '\0')
        fail(line_, fmt::format("line {} has a zero byte: this is no text", line_), "is it another format, or UTF-16?");
      ++at_;
    }
    return trimmed(text_.substr(begin, at_ - begin));
  }

  /// Text between the quotes; a doubled quote stands for one.
  std::string_view quoted_cell() {
    const std::int64_t first_line = line_;
    const std::size_t begin = ++at_;
    bool has_doubled = false;
    for (;; ++at_) {
      if (at_ >= text_.size() && !is_last_) return {};  // the row is cut off
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
    while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != state_.delimiter) ++at_;
    if (at_line_end() || text_[at_] == state_.delimiter) return;
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
  CsvState state_;
  bool is_last_, is_cut_ = false;
  std::size_t at_ = 0, done_ = 0;
  std::int64_t line_;
  Table table_;
};

}  // namespace

Table read_csv(std::string_view text, const std::string& name, char delimiter) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  return CsvReader(text, name, {.delimiter = delimiter == '\0' ? sniff(text) : delimiter}).read_all();
}

CsvBlocks::CsvBlocks(const std::filesystem::path& file, char delimiter)
    : source_(std::make_unique<ByteSource>(file)), name_(file.string()) {
  state_.delimiter = delimiter;
  fill();
  if (buffer_.empty()) throw DataError("path", fmt::format("'{}' is empty", name_), "", name_);
  if (buffer_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

CsvBlocks::~CsvBlocks() = default;

Table CsvBlocks::next(std::size_t rows) {
  fill();
  while (state_.delimiter == '\0' && !is_last_ && buffer_.find('\n', at_) == std::string::npos) {
    require_short(at_, state_.line);
    grow();
  }
  const auto text = [&] { return std::string_view(buffer_).substr(at_); };
  if (state_.delimiter == '\0') state_.delimiter = sniff(text());
  for (;; grow()) {
    CsvReader reader(text(), name_, state_, is_last_);
    Table table = reader.read_rows(rows);
    if (table.rows() < rows && !is_last_) {
      require_short(at_ + reader.done(), reader.state().line);
      continue;
    }
    state_ = reader.state();
    at_ += reader.done();
    return table;
  }
}

/// The row that begins there and is not whole yet.
void CsvBlocks::require_short(std::size_t begin, std::int64_t line) const {
  if (buffer_.size() - begin > kLongestLine) refuse_long_line(name_, line);
}

void CsvBlocks::grow() {
  capacity_ *= 2;
  fill();
}

void CsvBlocks::fill() {
  if (is_last_) return;
  buffer_.erase(0, std::exchange(at_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(std::max(before, capacity_));
  const std::size_t got = source_->read(buffer_.data() + before, buffer_.size() - before);
  is_last_ = before + got < buffer_.size();
  buffer_.resize(before + got);
}

}  // namespace dlrun::dataset
