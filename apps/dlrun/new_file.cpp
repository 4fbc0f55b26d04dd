// SPDX-License-Identifier: Apache-2.0
#include "new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <system_error>
#include <utility>

namespace dlrun::cli {

namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

bool is_special(const std::filesystem::path& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

bool is_of_store(const std::filesystem::path& name) {
  constexpr const char* kOwn[] = {"artifacts", "gc.lock", "last", "staging", "studies"};
  return std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
}

void require_outside(const std::filesystem::path& store, const std::filesystem::path& file) {
  std::error_code none;
  const auto whole = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
  };
  const std::filesystem::path rest = whole(file).lexically_relative(whole(store));
  if (!rest.empty() && is_of_store(*rest.begin()))
    throw Error(ErrorKind::usage, fmt::format("'{}' is a part of the store '{}'", file.string(), store.string()),
                "name a file outside of it");
}

void require_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (std::filesystem::is_directory(folder)) return;
  throw Error(ErrorKind::usage,
              fmt::format("cannot write '{}': there is no folder '{}'", file.string(), folder.string()));
}

void require_new_file(const std::filesystem::path& file) {
  require_folder(file);
  if (file == "-" || is_special(file) || !std::filesystem::exists(file)) return;
  throw Error(ErrorKind::usage, fmt::format("'{}' exists", file.string()), "name a new file, or remove that one");
}

void require_target(const std::filesystem::path& file, bool may_replace) {
  require_folder(file);
  if (std::filesystem::exists(file) && !may_replace)
    throw Error(ErrorKind::usage, fmt::format("'{}' is there already", file.string()), "--force replaces it");
}

NewFile::NewFile(const std::filesystem::path& path) : path_(path), part_(path.string()) {
  constexpr mode_t kMode = 0666;
  if (!is_special(path)) {
    part_ += ".part";
    fd_ = ::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
    is_nameless_ = fd_ >= 0;
  }
  if (fd_ < 0) fd_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (fd_ < 0) fail(errno == ENOENT || errno == ENOTDIR ? ErrorKind::usage : ErrorKind::outside, errno);
}

NewFile::~NewFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!is_nameless_ && part_ != path_) ::unlink(part_.c_str());
}

void NewFile::keep() {
  if (part_ != path_ && (::fsync(fd_) != 0 || !give_name() || std::rename(part_.c_str(), path_.c_str()) != 0))
    fail(ErrorKind::outside, errno);
  if (::close(std::exchange(fd_, -1)) != 0) fail(ErrorKind::outside, errno);
}

bool NewFile::give_name() const {
  if (!is_nameless_) return true;
  ::unlink(part_.c_str());
  return ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd_).c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW) ==
         0;
}

void NewFile::fail(ErrorKind kind, int fault) const {
  throw Error(kind, fmt::format("cannot write '{}': {}", path_.string(), std::generic_category().message(fault)));
}

}  // namespace dlrun::cli
