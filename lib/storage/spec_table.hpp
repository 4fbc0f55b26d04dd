// SPDX-License-Identifier: Apache-2.0
// The versions of a study's spec: the first is the root of the log's chain, each later one is held by a row of the log.
// Settings that no result depends on (spec/normal.hpp) may change without a new version: dl_study then has others than
// the newest version, and row kSettings of dl_spec is a copy of it that shows damage.
#pragma once
#include <string>
#include <vector>

#include "storage/rows.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Number of the row with the settings that hold now. Part of the format.
inline constexpr int kSettings = -1;

/// Digest of all that dl_spec keeps of one version but its number and row. Part of the format.
std::string digest_of(const StudyRow& version);

/// Version 0 of a new study is a copy of its row in dl_study.
void insert_first_spec(Database& database);
/// Makes it the newest version, in dl_study too.
void insert_spec(Database& database, const study::Amended& amended, std::int64_t seq, const StudyRow& version);
/// Gives the newest version other settings. REQUIRES: `row` has its hash, under the name that the version has.
void insert_settings(Database& database, const StudyRow& row);
/// All versions in order, the newest with the settings that hold now; a file of an older schema has one.
std::vector<StudyRow> read_specs(Database& database);

/// @throws Error(store) where dl_study is not what the newest version and its settings say, naming that version's row
/// of the log.
void require_newest_spec(Database& database);
/// @throws Error(store) where the version that this row of the log made is not the one that was written.
void require_spec(Database& database, const study::Amended& amended, std::int64_t seq);

}  // namespace dlrun::storage
