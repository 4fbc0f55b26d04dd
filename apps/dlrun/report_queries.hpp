// SPDX-License-Identifier: Apache-2.0
// Named queries: files of SQL in configs/reports, which `dlrun report --query NAME` asks.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace dlrun::cli {

struct NamedQuery {
  std::string name;  ///< name of its file, without .sql
  std::string text;  ///< comment that the file begins with
  std::filesystem::path file;
};

/// Queries of ./configs/reports, then those that come with dlrun; the first of a name counts. By name.
std::vector<NamedQuery> named_queries();

/// Names and texts, for people.
report::Table queries_table();

/// The statement of that name. @throws Error(usage) with the nearest name.
std::string query_named(const std::string& name);

}  // namespace dlrun::cli
