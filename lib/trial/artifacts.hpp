// SPDX-License-Identifier: Apache-2.0
// Where an artifact lies: artifacts/<first two digits>/<sha256>, named by its content.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trial/runner.hpp"
#include "trial/trial.hpp"

namespace dlrun::trial {

/// The file of an artifact. Part of the store's format.
std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256);

/// 64 hexadecimal digits, lower case?
bool is_sha256(std::string_view text);

/// The file of an artifact that a study's trials make: that of weights has an extension.
std::filesystem::path artifact_file(const WorkSetup& setup, const std::string& sha256);

/// The artifacts of the store that a piece reads, by sha256, each once: what it goes on from, donors, initial weights.
std::vector<std::string> artifacts_read(const WorkSetup& setup, const PieceOrder& order);

/// `init:` of a trial, where it names a file of the store's artifacts: that file's sha256; else empty.
std::string stored_init(const WorkSetup& setup, const Json& init);

/// A file of weights that a piece reads, and the content that it must have.
struct InputFile {
  std::filesystem::path path;
  std::string sha256;
  bool is_stored = true;  ///< an artifact; false: a file of the user's
};

/// All of them: the artifacts, then files that `init:` and `warm_start:` name.
std::vector<InputFile> inputs_of(const WorkSetup& setup, const PieceOrder& order);

/// Problem of such a file, for a person; empty: its content is the right one. @throws Error where it cannot be read.
std::string fault_of(const InputFile& input);

/// Reads an artifact's file and compares it with its name. @throws Error(store) missing or damaged.
void require_sound(const std::filesystem::path& file, const std::string& sha256);

/// Copies a file of this content; its new name appears when it is whole and on the disk. Holes stay holes.
/// @param mode  permission bits of the copy
/// @throws Error(outside); Error(usage): it has another content, or cannot be read.
void copy_artifact(const std::filesystem::path& file, const std::filesystem::path& path, const std::string& sha256,
                   unsigned mode = 0600);

inline constexpr std::int64_t kLargestCheckpointMb = 16'384;  ///< a program's, if its study does not say

inline constexpr const char* kExamples = "examples";  ///< role of the results of single examples
inline constexpr const char* kValues = "values";      ///< role of values of validation examples (tensors::RowValues)

/// A file that a program left, to be kept.
struct LeftFile {
  std::filesystem::path path;
  std::string role;
  std::int64_t step = 0;
  std::int64_t most = INT64_MAX;  ///< bytes; more is an error, also where the file grows meanwhile
};

/// Copies the file into the artifacts, durably, and names it. Holes stay holes.
/// @throws Error(outside); Error(usage): it cannot be read, is no file but a pipe or a device, or is too large.
Artifact keep_artifact(const std::filesystem::path& artifacts, const LeftFile& file);

}  // namespace dlrun::trial
