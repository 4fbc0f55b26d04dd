// SPDX-License-Identifier: Apache-2.0
// Tables for loops: `for study in $(dlrun studies -q)`.
#include "output.hpp"
#include "text_width.hpp"

namespace dlrun::cli {

std::string QuietOutput::text(const std::vector<report::Table>& tables) const {
  std::string out;
  for (const report::Table& table : tables) {
    if (table.shape == report::Shape::sentences) continue;
    for (const auto& row : table.rows) {
      if (row.empty() || row[0].is_null()) continue;
      out += visible(row[0].is_string() ? row[0].get<std::string>() : to_text(row[0])) + "\n";
    }
  }
  return out;
}

}  // namespace dlrun::cli
