// SPDX-License-Identifier: Apache-2.0
#include "exchange/export_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <system_error>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/processes.hpp"

namespace dlrun::exchange {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMark = ".dlrun-export";  ///< a file with the kind as its text
constexpr const char* kDraft = ".tmp";          ///< between the place and the process that writes there

/// The path without links, `..` and a slash at its end. The last folder need not be there.
fs::path place_of(const fs::path& path) {
  std::error_code fault;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), fault);
  if (fault) throw Error(ErrorKind::usage, fmt::format("cannot write '{}': {}", path.string(), fault.message()));
  return whole.has_filename() ? whole : whole.parent_path();
}

bool is_earlier_export(const fs::path& folder, const std::string& kind) {
  const fs::path mark = folder / kMark;
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(mark, none))) return false;
  return read_file(mark) == kind + "\n";
}

bool holds(const fs::path& folder, const fs::path& inner) {
  if (inner.empty()) return false;
  std::error_code none;
  const fs::path whole = fs::weakly_canonical(fs::absolute(inner, none), none);
  const fs::path rest = whole.lexically_relative(folder);
  return !rest.empty() && *rest.begin() != "..";
}

/// Folders whose loss nobody means by --force: those that hold one of these, and those in the store.
void refuse_precious(const fs::path& place, const FolderOptions& options) {
  const char* home = std::getenv("HOME");
  std::error_code none;
  for (const fs::path& inner : {options.store, fs::current_path(none), fs::path(home == nullptr ? "" : home)}) {
    if (holds(place, inner))
      throw Error(
          ErrorKind::usage,
          fmt::format("an export replaces its folder, and '{}' holds '{}'", options.path.string(), inner.string()),
          "name a new folder");
  }
  if (options.store.empty() || is_earlier_export(place, options.kind) || !holds(place_of(options.store), place)) return;
  throw Error(ErrorKind::usage,
              fmt::format("an export replaces its folder, and '{}' is a part of the store '{}'", options.path.string(),
                          options.store.string()),
              "name a new folder");
}

void require_free(const fs::path& place, const FolderOptions& options) {
  std::error_code none;
  if (!fs::is_directory(place.parent_path(), none))
    throw Error(ErrorKind::usage, fmt::format("cannot write '{}': there is no folder '{}'", options.path.string(),
                                              place.parent_path().string()));
  if (!fs::exists(fs::symlink_status(place, none))) return;
  if (!fs::is_directory(place, none))
    throw Error(ErrorKind::usage, fmt::format("'{}' is a file, and an export is a folder", options.path.string()));
  refuse_precious(place, options);
  if (options.may_replace || entries_of(place).empty() || is_earlier_export(place, options.kind)) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' is there already, and it is no earlier export of this kind", options.path.string()),
              "name a new folder; --force removes everything that is in this one");
}

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& fault) {
  throw Error(ErrorKind::outside, fmt::format("cannot write '{}': {}", path.string(), fault.message()));
}

void make_folder(const fs::path& path) {
  std::error_code fault;
  fs::create_directories(path, fault);
  if (fault) cannot_write(path, fault);
}

/// Removes drafts beside the place that exports left which were killed.
void remove_leftovers(const fs::path& place) {
  const std::string start = place.filename().string() + kDraft;
  for (const fs::path& entry : entries_of(place.parent_path())) {
    const std::string name = entry.filename().string();
    pid_t process = 0;
    const char* const end = name.data() + name.size();
    if (!name.starts_with(start) || std::from_chars(name.data() + start.size(), end, process).ptr != end) continue;
    std::error_code none;
    if (process > 0 && has_ended(process) && fs::exists(entry / kMark, none)) fs::remove_all(entry, none);
  }
}

}  // namespace

ExportFolder::ExportFolder(const FolderOptions& options) : path_(place_of(options.path)) {
  require_free(path_, options);
  remove_leftovers(path_);
  draft_ = path_.string() + kDraft + std::to_string(::getpid());
  std::error_code fault;
  fs::remove_all(draft_, fault);
  try {
    make_folder(draft_);
    write(kMark, options.kind + "\n");
  } catch (...) {
    fs::remove_all(draft_, fault);
    throw;
  }
}

ExportFolder::~ExportFolder() {
  std::error_code none;
  if (!is_kept_) fs::remove_all(draft_, none);
}

fs::path ExportFolder::place(const fs::path& name) {
  make_folder((draft_ / name).parent_path());
  return draft_ / name;
}

void ExportFolder::write(const fs::path& name, std::string_view bytes) { FileWriter(place(name), 0666).write(bytes); }

void ExportFolder::keep() {
  std::error_code fault, none;
  const fs::path old = path_.string() + ".old" + std::to_string(::getpid());
  const bool is_taken = fs::exists(fs::symlink_status(path_, none));
  if (is_taken) fs::rename(path_, old, fault);
  if (fault) cannot_write(path_, fault);
  fs::rename(draft_, path_, fault);
  if (fault && is_taken) fs::rename(old, path_, none);
  if (fault) cannot_write(path_, fault);
  is_kept_ = true;
  if (is_taken) fs::remove_all(old, none);
}

}  // namespace dlrun::exchange
