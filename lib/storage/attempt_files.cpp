// SPDX-License-Identifier: Apache-2.0
#include "storage/attempt_files.hpp"

#include <fmt/format.h>

#include <system_error>

#include "storage/paths.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace fs = std::filesystem;

namespace {

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(fs::symlink_status(path, none));
}

/// Everything but logs that lies directly in the folder of an attempt.
std::vector<fs::path> entries_of_attempts(const fs::path& folder, const std::string& study) {
  std::vector<fs::path> out;
  for (const fs::path& trial : entries_of(study_file(folder, study, "") / "trials")) {
    if (!is_folder(trial)) continue;
    for (const fs::path& attempt : entries_of(trial)) {
      if (!is_folder(attempt)) continue;
      for (const fs::path& entry : entries_of(attempt)) {
        if (entry.filename() != "attempt.log") out.push_back(entry);
      }
    }
  }
  return out;
}

/// The file itself, or those below a folder. A link is followed by neither.
std::vector<fs::path> files_below(const fs::path& entry) {
  std::error_code none;
  if (!is_folder(entry)) return {entry};
  std::vector<fs::path> out;
  for (const auto& one : fs::recursive_directory_iterator(entry, none)) {
    if (!is_folder(one.path())) out.push_back(one.path());
  }
  return out;
}

std::int64_t bytes_of(const fs::path& file) {
  std::error_code fault;
  const bool is_file = fs::is_regular_file(fs::symlink_status(file, fault));
  const std::uintmax_t bytes = is_file ? fs::file_size(file, fault) : 0;
  return fault ? 0 : std::int64_t(bytes);
}

}  // namespace

std::vector<Doomed> attempt_files(const fs::path& folder, const std::string& study) {
  std::vector<Doomed> out;
  for (const fs::path& entry : entries_of_attempts(folder, study)) {
    for (const fs::path& file : files_below(entry))
      out.push_back({file.lexically_relative(folder).generic_string(), bytes_of(file), "a working file"});
  }
  return out;
}

Collected remove_attempt_files(const fs::path& folder, const std::string& study) {
  Collected sum;
  for (const Doomed& file : attempt_files(folder, study)) {
    ++sum.files;
    sum.bytes += file.bytes;
  }
  for (const fs::path& entry : entries_of_attempts(folder, study)) {
    std::error_code fault;
    fs::remove_all(entry, fault);
    if (fault) throw Error(ErrorKind::outside, fmt::format("cannot delete '{}': {}", entry.string(), fault.message()));
  }
  return sum;
}

}  // namespace dlrun::storage
