// SPDX-License-Identifier: Apache-2.0
// A study's file leaving one store and arriving in another.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "storage/artifact_files.hpp"
#include "storage/chain.hpp"
#include "storage/rows.hpp"

namespace dlrun::storage {

/// Facts that a study's file has of itself.
struct StudyFacts {
  StudyRow row;
  std::string state;  ///< running | finished | stopped | interrupted
  std::int64_t trials = 0;
  Head head;
  int schema = 0;
};
StudyFacts facts_of(Database& study);

/// Copies a study's rows at one moment to a file of its own, whoever writes meanwhile; of current_schema().
/// @throws Error(not_found), Error(store), Error(outside).
void copy_study(const std::filesystem::path& store, const std::string& name, const std::filesystem::path& to);

/// Rows of artifacts that are not to be had any more: as if retention had given them up just now.
void forget_artifacts(Database& study, const Hashes& gone);

/// Is the artifact given up in the store as it is now?
bool is_given_up(const std::filesystem::path& store, const std::string& name, const std::string& hash);

/// Makes a file from somewhere else one that a driver may open: tables compared with dlrun's own, every row read and
/// compared as verify_database() does, migrated, views made anew. A study that ran when it was copied is interrupted
/// here.
/// @param scratch  a file that is not there, for comparison
/// @throws Error(store) naming the first thing that is wrong; Error(outside).
StudyFacts admit_study(const std::filesystem::path& file, const std::filesystem::path& scratch);

/// Hashes of the artifacts that a file's rows need, those of warm starts' donors not among them.
Hashes needed_by(Database& study);

/// Hashes of needed_by() that the best trial has, by the first objective; none while no trial is completed.
Hashes needed_by_best(Database& study);

/// Gives an admitted file another name; its log stays chained to the one it began with.
void rename_study(const std::filesystem::path& file, const std::string& name);

/// Takes an admitted file into the store, as a whole: its artifacts are there already. REQUIRES: the same disk.
/// @throws Error(store) the name is taken or a driver holds it; Error(outside).
void take_in(const std::filesystem::path& file, const std::filesystem::path& store, const std::string& name);

}  // namespace dlrun::storage
