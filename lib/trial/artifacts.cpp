// SPDX-License-Identifier: Apache-2.0
#include "trial/artifacts.hpp"

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::trial {

namespace {

bool is_sound(const std::filesystem::path& file, const std::string& sha256) {
  return std::filesystem::exists(file) && Sha256::hex_of(read_file(file)) == sha256;
}

}  // namespace

std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256) {
  return artifacts / sha256.substr(0, 2) / sha256;
}

void require_sound(const std::filesystem::path& file, const std::string& sha256) {
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::store, "artifact '" + file.string() + "' is missing",
                "it was deleted or the store was moved in part");
  }
  if (is_sound(file, sha256)) return;
  throw Error(ErrorKind::store, "artifact '" + file.string() + "' is damaged: its content does not match its name");
}

Artifact keep_artifact(const std::filesystem::path& artifacts, const std::filesystem::path& file,
                       const std::string& role, std::int64_t step) {
  const std::string bytes = read_file(file);
  Artifact artifact{role, Sha256::hex_of(bytes), static_cast<std::int64_t>(bytes.size()), step};
  const std::filesystem::path path = artifact_path(artifacts, artifact.sha256);
  if (is_sound(path, artifact.sha256)) return artifact;  // a damaged one is written again
  make_folders(path.parent_path());
  write_file(path, bytes);
  return artifact;
}

}  // namespace dlrun::trial
