// SPDX-License-Identifier: Apache-2.0
// Removal of the files of a study, each as the kind of file that it is: another study may have the same name for
// another kind. The attempts of a study `x.db`, which earlier versions made, lie in a folder x.db.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun::storage {

/// Removes a file, if there is one; a folder stays. @throws Error(outside).
void remove_file(const std::filesystem::path& path);
/// Removes a folder with all that it holds, if there is one; a file stays. @throws Error(outside).
void remove_folder(const std::filesystem::path& path);

/// Removes the files beside a study's database without which its rows can be read. Where the database is gone they are
/// left over from a deletion that was killed, and SQLite would take an old WAL for rows of a new study.
/// REQUIRES: the study's lock is held, and the database is not there. @throws Error(outside).
void remove_side_files(const std::filesystem::path& folder, const std::string& name);

}  // namespace dlrun::storage
