// SPDX-License-Identifier: Apache-2.0
#include "train/artifacts.hpp"

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// A file that was damaged since is no reason to leave it so.
bool has_content(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code fault;
  const std::uintmax_t found = std::filesystem::file_size(path, fault);
  return !fault && found == bytes.size() && read_file(path) == bytes;
}

}  // namespace

std::filesystem::path artifact_path(const std::filesystem::path& artifacts, const std::string& sha256) {
  if (!is_hash(sha256)) throw Error(ErrorKind::usage, "'" + sha256 + "' is no SHA-256 of an artifact");
  return artifacts / sha256.substr(0, 2) / (sha256 + ".safetensors");
}

trial::Artifact publish(const std::filesystem::path& artifacts, std::string_view bytes, const std::string& role,
                        std::int64_t step) {
  const std::string sha256 = Sha256::hex_of(bytes);
  const std::filesystem::path path = artifact_path(artifacts, sha256);
  if (!has_content(path, bytes)) {
    make_folders(path.parent_path());
    write_file(path, bytes);
  }
  return {role, sha256, std::int64_t(bytes.size()), step};
}

std::string fetch(const std::filesystem::path& artifacts, const std::string& sha256) {
  const std::filesystem::path path = artifact_path(artifacts, sha256);
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::store, "artifact '" + path.string() + "' is missing",
                "it was deleted or the store was moved in part");
  }
  std::string bytes = read_file(path);
  if (Sha256::hex_of(bytes) != sha256) {
    throw Error(ErrorKind::store, "artifact '" + path.string() + "' is damaged: its content does not match its name");
  }
  return bytes;
}

}  // namespace dlrun::train
