// SPDX-License-Identifier: Apache-2.0
#include "report/column_names.hpp"

#include <algorithm>

namespace dlrun::report {

namespace {

bool is_taken(const std::vector<std::string>& columns, const std::string& name) {
  return name == "study" || std::find(columns.begin(), columns.end(), name) != columns.end();
}

}  // namespace

void add_column(std::vector<std::string>& columns, const std::string& name, const std::string& prefix) {
  std::string free = is_taken(columns, name) ? prefix + name : name;
  for (int i = 2; is_taken(columns, free); ++i) free = prefix + name + "." + std::to_string(i);
  columns.push_back(std::move(free));
}

void add_parameters(std::vector<std::string>& columns, const std::vector<std::string>& names) {
  for (const std::string& name : names) add_column(columns, name, kParameterPrefix);
}

}  // namespace dlrun::report
