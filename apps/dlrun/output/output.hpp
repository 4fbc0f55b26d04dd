// SPDX-License-Identifier: Apache-2.0
// One interface for every way to print tables, a class each.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "output/terminal.hpp"
#include "report/report.hpp"

namespace dlrun::cli {

/// Page on which the text will be shown.
struct Page {
  Style style = Style(false);
  std::size_t width = 0;     ///< columns; 0: endless
  bool is_terminal = false;  ///< then no control character may be in it
};

class Output {
 public:
  virtual ~Output() = default;
  /// All tables of one answer.
  virtual std::string text(const std::vector<report::Table>& tables) const = 0;
};

/// A table of one cell whose column is named as the table is a paragraph, whatever prints it.
bool is_paragraph(const report::Table& table);

/// Aligned columns under a title; numbers to the right. Tables that are wider than the page are cut, unless their shape
/// is whole: long text first, then whole columns, which are named; a single row is turned upright instead.
class TextOutput final : public Output {
 public:
  explicit TextOutput(Page page) : page_(page) {}
  std::string text(const std::vector<report::Table>& tables) const override;

 private:
  Page page_;
};

/// {"schema": 1, "title": …, "columns": […], "rows": [{column: value, …}, …]}; several tables stand in a list under
/// "tables". Numbers in full, seconds as numbers, times as UTC text. Part of the interface: tests/cli holds it.
class JsonOutput final : public Output {
 public:
  std::string text(const std::vector<report::Table>& tables) const override;
};

/// RFC 4180 with \n ends of line and a header; several tables are separated by an empty line. null is an empty field.
class CsvOutput final : public Output {
 public:
  explicit CsvOutput(Page page) : page_(page) {}
  std::string text(const std::vector<report::Table>& tables) const override;

 private:
  Page page_;
};

/// GitHub's pipe tables.
class MarkdownOutput final : public Output {
 public:
  std::string text(const std::vector<report::Table>& tables) const override;
};

/// LaTeX with the rules of booktabs; a table of one cell is a paragraph.
class LatexOutput final : public Output {
 public:
  std::string text(const std::vector<report::Table>& tables) const override;
};

/// One table as the bytes of a Parquet file: columns of whole numbers, numbers, text or truth values, all of which may
/// be null; a column of several kinds is text.
/// @throws Error(usage) where python3 has no pyarrow, for a terminal, for several tables, for two columns of one name
class ParquetOutput final : public Output {
 public:
  explicit ParquetOutput(const Page& page) : is_terminal_(page.is_terminal) {}
  std::string text(const std::vector<report::Table>& tables) const override;

 private:
  bool is_terminal_;
};

/// The first column alone, one value a line, and no sentences: for loops in a shell.
class QuietOutput final : public Output {
 public:
  std::string text(const std::vector<report::Table>& tables) const override;
};

/// Output by the name of --format; `quiet` wins over a table, not over a format that was asked for by name.
std::unique_ptr<Output> make_output(const std::string& format, bool quiet, const Page& page);

}  // namespace dlrun::cli
