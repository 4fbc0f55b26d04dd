// SPDX-License-Identifier: Apache-2.0
// Views of a study's file: those named v_…, and those under the names of Optuna's tables with their two helpers. They
// hold no data, so they are dropped and made anew where a file has others.
#pragma once
#include <string>
#include <string_view>

#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Is it the name of a view that dlrun makes?
bool is_own_view(std::string_view name);

/// Are the file's views those of `sql` and, unless Optuna keeps studies in the file, those of optuna_views()?
bool has_views(Database& database, const std::string& sql);

void drop_views(Database& database);

/// Makes the views of `sql` and of optuna_views(). Optuna makes its tables in a file without these views when it opens
/// the file; they are dropped if they hold no study, else they stay and have their names. REQUIRES: a transaction, no
/// view of ours.
void make_views(Database& database, const std::string& sql);

}  // namespace dlrun::storage
