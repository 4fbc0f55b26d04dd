// SPDX-License-Identifier: Apache-2.0
#include "dataset/svmlight_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/column.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::string_view kBetweenWords = " \t\r";
constexpr std::string_view kAbsentValue = "0";

struct Word {
  std::string_view text;
  std::int64_t line = 0;   ///< from 1
  std::size_t column = 0;  ///< byte of the line, from 1
};

/// The words of a line in front of its comment.
class LineWords {
 public:
  LineWords(std::string_view line, std::int64_t number) : line_(line.substr(0, line.find('#'))), number_(number) {
    skip();
  }

  bool is_empty() const { return at_ == line_.size(); }
  Word next() {
    const std::size_t begin = at_;
    at_ = std::min(line_.find_first_of(kBetweenWords, begin), line_.size());
    const Word word{line_.substr(begin, at_ - begin), number_, begin + 1};
    skip();
    return word;
  }

 private:
  void skip() { at_ = std::min(line_.find_first_not_of(kBetweenWords, at_), line_.size()); }

  std::string_view line_;
  std::int64_t number_;
  std::size_t at_ = 0;
};

template <class Visit>
void each_example(std::string_view text, const Visit& visit) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    LineWords words(text.substr(0, end), number);
    if (!words.is_empty()) visit(words);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct Entry {
  std::int64_t index = 0;
  std::string_view value;
};

/// Facts of a whole text.
struct Extent {
  std::int64_t rows = 0;
  std::int64_t smallest = 1;  ///< index, at most 1
  std::int64_t largest = -1;
};

std::string written(const Word& word) { return quoted(Json(std::string(word.text))); }

class SvmlightReader {
 public:
  SvmlightReader(std::string_view text, const std::string& file, const std::string& key, IndexRange columns)
      : text_(text), file_(file), key_(key), columns_(columns) {}

  /// Goes through the text twice: rows are dense, so the first pass finds out whether they fit.
  Sheet read_sheet() {
    settle_columns(measure());
    Sheet sheet{.file = file_, .names = {"target"}};
    for (std::int64_t k = 0; k < columns_.count; ++k) sheet.names.push_back(std::to_string(first() + k));
    Table& table = sheet.table;
    table.columns = sheet.names.size();
    table.cells.reserve(std::size_t(rows_) * table.columns);
    each_example(text_, [&](LineWords& words) { add_row(words, table); });
    return sheet;
  }

 private:
  std::int64_t first() const { return columns_.first.value_or(1); }

  Extent measure() const {
    Extent extent;
    each_example(text_, [&](LineWords& words) {
      ++extent.rows;
      target_of(words.next());
      std::int64_t before = -1;
      while (!words.is_empty()) before = index_behind(before, words.next(), extent);
    });
    return extent;
  }

  std::int64_t index_behind(std::int64_t before, const Word& word, Extent& extent) const {
    const std::int64_t index = entry_of(word).index;
    if (index <= before)
      fail(word, fmt::format("line {} has the index {} behind {}", word.line, index, before),
           "indices ascend within a line, each is there at most once");
    if (index > std::int64_t(kMostCells))
      fail(word, fmt::format("line {} has the index {}, above {}", word.line, index, kMostCells),
           "every index is a column, and a row has at most so many");
    extent.smallest = std::min(extent.smallest, index);
    extent.largest = std::max(extent.largest, index);
    return index;
  }

  void settle_columns(const Extent& extent) {
    if (extent.rows == 0) throw DataError(key_, fmt::format("'{}' has no rows", file_), "", file_);
    if (!columns_.first) columns_.first = extent.smallest;
    if (columns_.count == 0) columns_.count = extent.largest + 1 - first();
    if (columns_.count < 1)
      throw DataError(key_, fmt::format("'{}' has no index that could be a column", file_),
                      "`features: N` says how many there are", file_);
    if (std::size_t(columns_.count) > kMostTableBytes / sizeof(float) / std::size_t(extent.rows))
      throw DataError(key_,
                      fmt::format("'{}' has {} rows of {} features: as float32, absent ones too, more than {} GiB",
                                  file_, extent.rows, columns_.count, kMostTableBytes >> 30),
                      "rows are held dense: leave out rare features, so that `features` is smaller, or rows", file_);
    rows_ = extent.rows;
  }

  void add_row(LineWords& words, Table& table) const {
    const Word target = words.next();
    table.lines.push_back(target.line);
    table.cells.push_back(table.unquoted.emplace_back(spelled(target_of(target))));
    const std::size_t begin = table.cells.size();
    table.cells.resize(begin + std::size_t(columns_.count), kAbsentValue);
    while (!words.is_empty()) {
      const Word word = words.next();
      const Entry entry = entry_of(word);
      table.cells[begin + column_of(entry.index, word)] = entry.value;
    }
  }

  std::size_t column_of(std::int64_t index, const Word& word) const {
    const std::int64_t column = index - first();
    if (column >= 0 && column < columns_.count) return std::size_t(column);
    fail(word,
         fmt::format("line {} has the index {}, but the columns are {} to {}", word.line, index, first(),
                     first() + columns_.count - 1),
         key_ == "data" ? "the model was trained on these"
         : index == 0   ? "`zero_based: true` counts from 0"
                        : "`features: N` says how many there are");
  }

  double target_of(const Word& word) const {
    if (const std::optional<double> value = parse_number(word.text)) return *value;
    fail(word, fmt::format("line {} begins with {}, but a target is a finite number", word.line, written(word)),
         "number the classes; where the target is not known, write 0");
  }

  /// Labels are told apart by their text.
  static std::string spelled(double value) {
    const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
    return is_whole ? std::to_string(std::int64_t(value)) : fmt::format("{}", value);
  }

  Entry entry_of(const Word& word) const {
    const std::size_t colon = std::min(word.text.find(':'), word.text.size());
    const std::string_view name = word.text.substr(0, colon);
    if (name == "qid")
      fail(word,
           fmt::format("line {} has {}, but examples have no groups that a ranking could learn from", word.line,
                       written(word)),
           "take out every qid: sed -E 's/ qid:[0-9]+//' FILE");
    Entry entry;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), entry.index);
    if (colon == word.text.size() || error != std::errc() || end != name.data() + name.size() || entry.index < 0)
      fail(word, fmt::format("line {} has {} where index:value belongs", word.line, written(word)),
           "e.g. 7:0.5; an index is a whole number from 0 on");
    entry.value = word.text.substr(colon + 1);
    if (!parse_number(entry.value))
      fail(word, fmt::format("line {} has {}, whose value is no finite number", word.line, written(word)),
           "correct it; an index that is left out is 0");
    return entry;
  }

  [[noreturn]] void fail(const Word& word, const std::string& message, const std::string& hint) const {
    throw DataError(key_, message, hint, fmt::format("{}:{}:{}", file_, word.line, word.column));
  }

  std::string_view text_;
  const std::string& file_;
  const std::string& key_;
  IndexRange columns_;
  std::int64_t rows_ = 0;
};

}  // namespace

Sheet read_svmlight(std::string_view text, const std::string& file, const std::string& key, IndexRange columns) {
  return SvmlightReader(text, file, key, columns).read_sheet();
}

}  // namespace dlrun::dataset
