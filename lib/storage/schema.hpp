// SPDX-License-Identifier: Apache-2.0
// The version of a study's tables, and how an older file becomes a newer one. `dl_schema` has a row for every step.
#pragma once
#include <string>
#include <vector>

#include "storage/sqlite.hpp"

namespace dlrun::storage {

struct Migration {
  std::string name;  ///< "0001_first"; the last one is "views"
  std::string sql;
};

/// Compiled in from migrations/: the steps in order, then the views.
const std::vector<Migration>& embedded_sql();

/// Views of a study under the names of Optuna's tables, made behind the others.
const std::string& optuna_views();

/// Version that this program writes: the number of steps.
int current_schema(const std::vector<Migration>& sql = embedded_sql());

/// Version of an open file; 0: no table of ours in it.
int schema_of(Database& database);

/// Rejects a file that this program cannot read. @throws Error(store) naming both versions, or "not a study of dlrun".
void require_readable(Database& database);

/// Brings the file to current_schema(), in one transaction; `<name>.db.v<old>` is a copy made before it. A file without
/// tables gets all steps. A file of this schema with other views gets those of this program.
/// @param keeps_old  makes that copy
/// @throws Error(store) newer, Error(outside) disk full.
void migrate(Database& database, const std::vector<Migration>& sql = embedded_sql(), bool keeps_old = true);

/// The views of a file of current_schema() as this program has them. A fault leaves a transaction open: the file is not
/// to be used.
void renew_views(Database& database);

/// Refuses a file with tables, indexes or triggers that dlrun did not make: nobody knows what such a file does when it
/// is written. @param scratch  where tables can be made for comparison, a file that is not there
/// @throws Error(store) naming the first that differs.
void require_own_tables(Database& database, const std::filesystem::path& scratch);

}  // namespace dlrun::storage
