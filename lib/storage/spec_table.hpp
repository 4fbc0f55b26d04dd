// SPDX-License-Identifier: Apache-2.0
// The versions of a study's spec: the first is the root of the log's chain, each later one is held by a row of the log.
#pragma once
#include <string>
#include <vector>

#include "storage/rows.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Digest of all that dl_spec keeps of one version but its number and row. Part of the format.
std::string digest_of(const StudyRow& version);

/// Version 0 of a new study is a copy of its row in dl_study.
void insert_first_spec(Database& database);
/// Makes it the newest version, in dl_study too.
void insert_spec(Database& database, const study::Amended& amended, std::int64_t seq, const StudyRow& version);
/// All versions in order; a file of an older schema has one.
std::vector<StudyRow> read_specs(Database& database);

/// @throws Error(store) where dl_study is not what the newest version says, naming that version's row of the log.
void require_newest_spec(Database& database);
/// @throws Error(store) where the version that this row of the log made is not the one that was written.
void require_spec(Database& database, const study::Amended& amended, std::int64_t seq);

}  // namespace dlrun::storage
