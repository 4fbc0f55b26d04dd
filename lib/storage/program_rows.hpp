// SPDX-License-Identifier: Apache-2.0
// Rows about programs: their files as drivers found them.
#pragma once
#include <cstdint>

#include "storage/artifact_files.hpp"
#include "storage/rows.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Adds the program of an opening. REQUIRES: its row of dl_environment is there.
void insert_program(Database& database, std::int64_t epoch, const Program& program);

/// The program of an opening; an empty one where nothing was recorded, as in the file of an older dlrun.
Program read_program(Database& database, std::int64_t epoch);

/// The artifacts with the changes to work trees.
Hashes program_changes(Database& database);

}  // namespace dlrun::storage
