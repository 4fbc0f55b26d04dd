// SPDX-License-Identifier: Apache-2.0
#include "report_queries.hpp"

#include <map>

#include "spec/study_spec.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostQueryBytes = 100'000;

/// The lines of comment that SQL begins with, as one.
std::string comment_of(const std::string& sql) {
  std::string text;
  for (std::size_t at = 0; sql.compare(at, 2, "--") == 0;) {
    const std::size_t end = std::min(sql.find('\n', at), sql.size());
    const std::size_t from = std::min(sql.find_first_not_of("- ", at), end);
    text += (text.empty() ? "" : " ") + sql.substr(from, end - from);
    at = std::min(end + 1, sql.size());
  }
  return text;
}

std::vector<fs::path> folders() {
  std::vector<fs::path> out = {fs::path("configs") / "reports"};
  for (const fs::path& folder : spec::config_folders()) out.push_back(folder / "reports");
  return out;
}

}  // namespace

std::vector<NamedQuery> named_queries() {
  std::map<std::string, NamedQuery> found;
  for (const fs::path& folder : folders()) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
      const fs::path& file = entry.path();
      if (file.extension() != ".sql" || found.contains(file.stem().string())) continue;
      found.emplace(file.stem().string(), NamedQuery{file.stem(), comment_of(read_file(file, kMostQueryBytes)), file});
    }
  }
  std::vector<NamedQuery> out;
  for (auto& [name, query] : found) out.push_back(std::move(query));
  return out;
}

report::Table queries_table() {
  report::Table table{"queries of --query", {"query", "answers"}, {}, report::Shape::whole};
  for (const NamedQuery& query : named_queries()) table.rows.push_back({query.name, query.text});
  return table;
}

std::string query_named(const std::string& name) {
  std::vector<std::string> names;
  for (const NamedQuery& query : named_queries()) {
    if (query.name == name) return read_file(query.file, kMostQueryBytes);
    names.push_back(query.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "there is no query '" + name + "' in configs/reports",
              nearest.empty() ? "`dlrun report --list` lists them" : "did you mean '" + nearest + "'?");
}

}  // namespace dlrun::cli
