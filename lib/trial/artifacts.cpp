// SPDX-License-Identifier: Apache-2.0
#include "trial/artifacts.hpp"

#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::trial {

std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256) {
  return artifacts / sha256.substr(0, 2) / sha256;
}

Artifact keep_artifact(const std::filesystem::path& artifacts, const std::filesystem::path& file,
                       const std::string& role, std::int64_t step) {
  const std::string bytes = read_file(file);
  Artifact artifact{role, Sha256::hex_of(bytes), static_cast<std::int64_t>(bytes.size()), step};
  const std::filesystem::path path = artifact_path(artifacts, artifact.sha256);
  if (std::filesystem::exists(path)) return artifact;
  make_folders(path.parent_path());
  write_file(path, bytes);
  return artifact;
}

}  // namespace dlrun::trial
