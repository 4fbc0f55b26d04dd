// SPDX-License-Identifier: Apache-2.0
#include "exchange/csv_text.hpp"

#include <cstdlib>

#include "exchange/study_source.hpp"

namespace dlrun::exchange {

namespace {

bool is_number(const std::string& text) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return *end == '\0';
}

bool is_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos && !is_number(text);
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string without_formula(const std::string& text) { return is_formula(text) ? "'" + text : text; }

std::string csv_cell(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return quoted(to_text(value));
  return quoted(without_formula(clean_text(value.get<std::string>())));
}

std::string csv_line(const std::vector<Json>& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + csv_cell(cells[i]);
  return out + "\n";
}

}  // namespace dlrun::exchange
