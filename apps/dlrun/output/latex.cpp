// SPDX-License-Identifier: Apache-2.0
// Tables for papers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>

#include "output.hpp"
#include "text_form.hpp"
#include "text_width.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

bool is_number_like(const Json& cell) {
  if (cell.is_number()) return true;
  const std::string text = cell.is_string() ? cell.get<std::string>() : "";
  return !text.empty() && text.find_first_not_of("+-0123456789.e[], ") == std::string::npos;
}

/// Signs that are signs and no hyphens; 8.1e-11 as a power of ten.
std::string number_in_latex(const std::string& text) {
  static const std::regex minus("(^|[^e])-([0-9])"), power("e\\+?(-?)0*([0-9]+)");
  const std::string out = std::regex_replace(text, minus, "$1$$-$$$2");
  return std::regex_replace(out, power, "$$\\times10^{$1$2}$$");
}

std::string latex_line(const std::vector<std::string>& cells) {
  return fmt::format("    {} \\\\\n", fmt::join(cells, " & "));
}

std::string single_cell(const Json& cell) {
  if (cell.is_string()) return in_latex(visible(cell.get<std::string>()));
  const std::string text = column_text({&cell})[0];
  return cell.is_number() ? number_in_latex(text) : in_latex(text);
}

/// A table of one cell is a paragraph.
std::string latex_table(const report::Table& table) {
  if (table.columns.size() == 1 && table.rows.size() == 1) return single_cell(table.rows[0][0]) + "\n";
  if (table.shape == report::Shape::sentences) {
    std::string text;
    for (const auto& row : table.rows) text += in_latex(visible(row.back().get<std::string>())) + "\n";
    return text;
  }
  std::string form, body;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<const Json*> cells;
    for (const auto& row : table.rows) cells.push_back(&row[i]);
    form += std::any_of(cells.begin(), cells.end(), [](const Json* cell) { return is_number_like(*cell); }) ? 'r' : 'l';
    columns.push_back(column_text(cells));
    head.push_back(in_latex(visible(table.columns[i])));
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      cells.push_back(is_number_like(table.rows[row][i]) ? number_in_latex(columns[i][row])
                                                         : in_latex(columns[i][row]));
    }
    body += latex_line(cells);
  }
  return fmt::format(
      "\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\begin{{tabular}}{{{}}}\n    \\toprule\n{}"
      "    \\midrule\n{}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
      in_latex(visible(table.title)), form, latex_line(head), body);
}

}  // namespace

std::string in_latex(const std::string& text) {
  static const std::map<char, std::string> kEscapes = {
      {'\\', "\\textbackslash{}"}, {'~', "\\textasciitilde{}"}, {'^', "\\textasciicircum{}"}};
  std::string out;
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    if (escape != kEscapes.end()) {
      out += escape->second;
    } else {
      if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size()) {
      out.replace(at, from.size(), to);
    }
  };
  replace("†", "$^\\dagger$");
  replace("±", "$\\pm$");
  return out;
}

std::string LatexOutput::text(const std::vector<report::Table>& tables) const {
  std::string out = "% \\usepackage{booktabs}\n";
  for (const report::Table& table : tables) out += latex_table(table) + "\n";
  out.pop_back();
  return out;
}

}  // namespace dlrun::cli
