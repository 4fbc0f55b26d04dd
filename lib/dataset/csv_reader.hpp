// SPDX-License-Identifier: Apache-2.0
// Text to cells: RFC 4180 with quotes, either line ending, and a byte order mark.
#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::dataset {

inline constexpr std::size_t kMostCells = 100'000;  ///< cells of a row
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Cells of a rectangular table. They point into the text, which must outlive the table, and into `unquoted`.
struct Table {
  std::size_t columns = 0;
  std::vector<std::string_view> cells;  ///< [rows, columns]
  std::vector<std::int64_t> lines;      ///< line of the text in which each row begins, from 1
  std::deque<std::string> unquoted;     ///< cells that held doubled quotes

  std::size_t rows() const { return lines.size(); }
  std::string_view cell(std::size_t row, std::size_t column) const { return cells[row * columns + column]; }
};

/// Blanks around cells without quotes are cut off, empty lines are skipped.
/// @param name of the file, for messages.  @param delimiter '\0': the most frequent of , ; tab | in the first line.
/// @throws DataError with the line: an open quote, text behind a quote, a NUL byte, a row of another length.
Table read_csv(std::string_view text, const std::string& name, char delimiter);

/// Where a reader stands between two rows.
struct CsvState {
  char delimiter = '\0';
  std::int64_t line = 1;        ///< line of the next row
  std::int64_t first_line = 0;  ///< line of the first row; 0: there was none
  std::size_t columns = 0;      ///< columns of every row
};

class ByteSource;

/// A file, gzipped or not, by so many rows at a time, in memory that does not grow with it.
class CsvBlocks {
 public:
  /// @throws DataError: not to be read, empty.
  CsvBlocks(const std::filesystem::path& file, char delimiter);
  ~CsvBlocks();
  CsvBlocks(const CsvBlocks&) = delete;
  CsvBlocks& operator=(const CsvBlocks&) = delete;

  /// Next rows: as many as are asked for, fewer at the end, then none. Cells live until the next call.
  /// @throws DataError as read_csv; a file that is cut off or damaged.
  Table next(std::size_t rows);

 private:
  /// Removes text that was read, and fills the buffer again.
  void fill();
  void grow();
  void require_short(std::size_t begin, std::int64_t line) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_, buffer_;
  std::size_t capacity_ = std::size_t(1) << 20;  ///< size of the buffer
  std::size_t at_ = 0;                           ///< the next row in it
  bool is_last_ = false;                         ///< the buffer ends where the file does
  CsvState state_;
};

}  // namespace dlrun::dataset
