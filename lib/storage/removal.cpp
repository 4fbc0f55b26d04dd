// SPDX-License-Identifier: Apache-2.0
#include "storage/removal.hpp"

#include <system_error>

#include "storage/paths.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

void require_none(const std::filesystem::path& path, const std::error_code& fault) {
  if (fault) throw Error(ErrorKind::outside, "cannot delete '" + path.string() + "': " + fault.message());
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_directory(std::filesystem::symlink_status(path, none));
}

}  // namespace

void remove_file(const std::filesystem::path& path) {
  std::error_code fault;
  if (!is_folder(path)) std::filesystem::remove(path, fault);
  require_none(path, fault);
}

void remove_folder(const std::filesystem::path& path) {
  std::error_code fault;
  if (is_folder(path)) std::filesystem::remove_all(path, fault);
  require_none(path, fault);
}

void remove_side_files(const std::filesystem::path& folder, const std::string& name) {
  for (const char* suffix : {".db-wal", ".db-shm", ".db-journal", ".db-snapshot", ".db.new", ".head"})
    remove_file(study_file(folder, name, suffix));
}

}  // namespace dlrun::storage
