// SPDX-License-Identifier: Apache-2.0
// docs/store.md says what the views have: every view, every column, in order.
#include <algorithm>
#include <sstream>

#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace docs_test {

using namespace dlrun;
using namespace dlrun::storage;

namespace {

/// The rows of the table of views: "| `trials` | trial | study, trial, … |" as "v_trials: study, trial, …".
std::vector<std::string> documented() {
  std::istringstream text(read_file(DLRUN_SOURCE_DIR "/docs/store.md"));
  std::vector<std::string> views;
  bool is_inside = false;
  for (std::string line; std::getline(text, line);) {
    is_inside = is_inside ? !line.empty() : line.rfind("| view |", 0) == 0;
    if (!is_inside || line.rfind("| `", 0) != 0) continue;
    const std::size_t last = line.rfind(" | ");
    views.push_back("v_" + line.substr(3, line.find('`', 3) - 3) + ": " +
                    line.substr(last + 3, line.size() - last - 5));
  }
  std::sort(views.begin(), views.end());
  return views;
}

std::vector<std::string> in_the_file() {
  const support::TempFolder folder;
  Store::create(folder.path(), support::sample_row(), {})->close();
  Database database(study_file(folder.path(), "sample", ".db"), Database::Mode::read);
  Statement columns = database.prepare(
      "SELECT m.name, group_concat(c.name, ', ') FROM sqlite_master m JOIN pragma_table_info(m.name) c "
      "WHERE m.type = 'view' AND m.name GLOB 'v_*' GROUP BY m.name ORDER BY m.name");
  std::vector<std::string> views;
  while (columns.step()) views.push_back(std::string(columns.text(0)) + ": " + std::string(columns.text(1)));
  return views;
}

}  // namespace

TEST_CASE("the documented views are those in the file", "[storage][docs]") { CHECK(documented() == in_the_file()); }

}  // namespace docs_test
