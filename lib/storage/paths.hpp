// SPDX-License-Identifier: Apache-2.0
// Places of files in a store, and rules for names.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::storage {

/// [A-Za-z0-9._-]{1,100}, not "." or "..", so that a name is a file name on every system and never a path.
bool is_valid_name(const std::string& name);
/// @throws Error(usage) saying the rule.
void require_valid_name(const std::string& name);
/// The rule for studies that are made or taken in: is_store_file_name() clashes with the files of another study.
/// @throws Error(usage) saying the rule.
void require_new_name(const std::string& name);

/// The folder of a store without the links that its path goes through, as given where there are none. Below it no link
/// is followed (SQLite refuses a link anywhere in the path of a database).
std::filesystem::path resolved_store(const std::filesystem::path& folder);

/// <folder>/studies/<name><suffix>
std::filesystem::path study_file(const std::filesystem::path& folder, const std::string& name, const char* suffix);

/// <folder>/studies/<name>/trials/17/p0.a1, with r1.f2. before the p where replicate or fold is not 0. Only this
/// attempt writes there.
std::filesystem::path attempt_path(const std::filesystem::path& folder, const std::string& name,
                                   const trial::PieceKey& key, int attempt);

/// <folder>/studies/<name>/stages: work that trials under way have in common; removed at the end of the study.
std::filesystem::path stages_folder(const std::filesystem::path& folder, const std::string& name);

/// <folder>/artifacts/ab/abcd….safetensors
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, const std::string& sha256);

/// Names of the studies of a store, sorted; empty where the folder is none.
std::vector<std::string> study_names(const std::filesystem::path& folder);

/// Is the folder on a network file system (NFS, SMB, Lustre, GPFS, …)? WAL's shared memory does not work there.
/// DLRUN_ASSUME_NETWORK_FS=1 says yes, for tests and for systems that statfs does not know.
bool is_on_network(const std::filesystem::path& folder);

}  // namespace dlrun::storage
