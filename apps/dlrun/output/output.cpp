// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

namespace dlrun::cli {

bool is_paragraph(const report::Table& table) {
  return table.columns.size() == 1 && table.rows.size() == 1 && table.columns[0] == table.title &&
         table.rows[0][0].is_string();
}

std::unique_ptr<Output> make_output(const std::string& format, bool quiet, const Page& page) {
  if (format == "json") return std::make_unique<JsonOutput>();
  if (format == "csv") return std::make_unique<CsvOutput>(page);
  if (format == "markdown") return std::make_unique<MarkdownOutput>();
  if (format == "latex") return std::make_unique<LatexOutput>();
  if (format == "parquet") return std::make_unique<ParquetOutput>(page);
  if (quiet) return std::make_unique<QuietOutput>();
  return std::make_unique<TextOutput>(page);
}

}  // namespace dlrun::cli
