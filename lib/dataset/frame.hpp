// SPDX-License-Identifier: Apache-2.0
// A csv section and its file: which columns are inputs, which the target, each read and judged.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dataset/column.hpp"
#include "dataset/dataset.hpp"
#include "dataset/sheet.hpp"

namespace dlrun::dataset {

/// One thing to be predicted: the labels of a column, or the numbers of some.
struct FrameTarget {
  std::string name;                  ///< empty where there is one, without a name
  std::string column;                ///< column of the labels
  std::vector<std::string> classes;  ///< none: numbers
  std::vector<std::int64_t> labels;  ///< [rows]
  std::vector<Column> numbers;
  bool are_numbers = false;  ///< the labels are whole numbers: 1 and 1.0 are one class
};

struct Frame {
  std::size_t rows = 0;
  std::vector<Column> features;     ///< in the file's order
  std::vector<std::int64_t> lines;  ///< line of each row, for messages
  std::vector<std::string> names;   ///< names of all columns of the file, in its order
  bool has_header = false;
  std::map<std::string, std::vector<std::string>> split_cells;  ///< by split.KEY ("group"): the column's cells, [rows]
  std::vector<FrameTarget> targets;                             ///< by name, ascending

  /// Rows of one file.
  struct Part {
    std::size_t first = 0;
    std::string file;
  };
  std::vector<Part> parts;  ///< at least one

  const char* unit = "line";  ///< unit of `lines`; "row" where there is no text

  /// Labels of the first target with classes, which rows are divided by; none: empty.
  std::vector<std::int64_t> labels() const;
  /// File and line of a row.
  std::string place(std::size_t row) const;
};

/// Columns that are inputs, in the file's order. `features: all` does not mean those that rows are split by.
/// @throws DataError: a column that is not there, or is the target too.
std::vector<std::size_t> feature_columns(const Sheet& sheet, const Json& data, const std::set<std::size_t>& targets);

/// `missing` of a section as rules for the columns of a file.
ColumnRules column_rules(const Json& data, const std::string& file);

/// @param data normalised section.  @param needs_features  whether a table of targets alone is a fault.
/// @throws DataError.
Frame frame_of(const Json& data, const Sheet& sheet, bool needs_features = true);
/// frame_of of a text. @throws DataError: as read_sheet too.
Frame read_frame(const Json& data, std::string_view text, const std::string& file, bool needs_features = true);

/// A further table of the same columns, in any order: its rows behind the frame's, judged and encoded as those are.
struct Further {
  std::string key;            ///< key of the section: "val", "test"
  bool is_fresh = false;      ///< came when the model was trained: columns that it does not need may be there or not
  bool needs_targets = true;  ///< fresh: false: the targets' columns are not looked at
  std::string id = {};        ///< fresh: a column whose cells become split_cells["id"]; empty: none
};
/// The first rows of a new table, with the names of its columns. @throws DataError: no rows, other columns.
Sheet fresh_sheet(Table table, const Frame& frame, const Json& data, const std::string& file);
/// @throws DataError with the line: as frame_of; other columns, a class or a category that the frame has not.
void append_sheet(Frame& frame, const Json& data, const Further& table, const Sheet& sheet);

}  // namespace dlrun::dataset
