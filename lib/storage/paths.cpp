// SPDX-License-Identifier: Apache-2.0
#include "storage/paths.hpp"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/store_name.hpp"

namespace dlrun::storage {

namespace {

bool is_name_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/// f_type of statfs(2): NFS, SMB, SMB2, CIFS, Lustre, GPFS, Ceph, AFS, 9p, BeeGFS, OCFS2, GFS2, FUSE (sshfs and its
/// like).
constexpr std::array<std::uint32_t, 13> kNetworkTypes{0x6969,     0x517B,     0xFE534D42, 0xFF534D42, 0x0BD00BD0,
                                                      0x47504653, 0x00C36400, 0x5346414F, 0x01021997, 0x19830326,
                                                      0x7461636F, 0x01161970, 0x65735546};

}  // namespace

bool is_valid_name(const std::string& name) {
  if (name.empty() || name.size() > 100 || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), is_name_char);
}

void require_valid_name(const std::string& name) {
  if (is_valid_name(name)) return;
  throw Error(ErrorKind::usage, "'" + name.substr(0, 120) + "' is no name for a study",
              "use 1 to 100 of the characters A-Z a-z 0-9 . _ -");
}

void require_new_name(const std::string& name) {
  require_valid_name(name);
  if (is_store_file_name(name))
    throw Error(ErrorKind::usage, "'" + name + "' ends as the file of another study may: no new study can have it",
                kStoreFileNames);
}

std::filesystem::path resolved_store(const std::filesystem::path& folder) {
  std::error_code fault;
  const std::filesystem::path plain = std::filesystem::absolute(folder, fault).lexically_normal();
  std::filesystem::path real = std::filesystem::weakly_canonical(folder, fault);
  if (fault || real / "" == plain / "") return folder;
  return real;
}

std::filesystem::path study_file(const std::filesystem::path& folder, const std::string& name, const char* suffix) {
  return folder / "studies" / (name + suffix);
}

std::filesystem::path attempt_path(const std::filesystem::path& folder, const std::string& name,
                                   const trial::PieceKey& key, int attempt) {
  const trial::Member& member = key.member;
  std::string leaf;
  if (member.replicate != 0 || member.fold != 0) leaf = fmt::format("r{}.f{}.", member.replicate, member.fold);
  leaf += fmt::format("p{}.a{}", key.piece, attempt);
  return folder / "studies" / name / "trials" / std::to_string(member.trial.value) / leaf;
}

std::filesystem::path stages_folder(const std::filesystem::path& folder, const std::string& name) {
  return folder / "studies" / name / "stages";
}

std::filesystem::path checkpoint_file(const std::filesystem::path& folder, const std::string& sha256) {
  return folder / "artifacts" / sha256.substr(0, 2) / (sha256 + ".safetensors");
}

std::vector<std::string> study_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const std::filesystem::path& entry : entries_of(folder / "studies")) {
    const std::string name = entry.stem().string();
    std::error_code none;  // a folder of that name has the attempts of a study `x.db`
    const bool is_file = entry.extension() == ".db" && !std::filesystem::is_directory(entry, none);
    if (is_file && is_valid_name(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_on_network(const std::filesystem::path& folder) {
  const char* assumed = std::getenv("DLRUN_ASSUME_NETWORK_FS");
  if (assumed != nullptr) return std::string_view(assumed) == "1";
  struct statfs facts {};
  if (statfs(folder.c_str(), &facts) != 0) return false;
  const auto type = static_cast<std::uint32_t>(facts.f_type);
  return std::find(kNetworkTypes.begin(), kNetworkTypes.end(), type) != kNetworkTypes.end();
}

}  // namespace dlrun::storage
