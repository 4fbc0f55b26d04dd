// SPDX-License-Identifier: Apache-2.0
#include "util/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "util/descriptor.hpp"
#include "util/error.hpp"

namespace dlrun {

namespace {

std::string cause() { return std::generic_category().message(errno); }

[[noreturn]] void cannot_read(const std::filesystem::path& path) {
  const ErrorKind kind = is_of_machine(errno) ? ErrorKind::outside : ErrorKind::usage;
  throw Error(kind, "cannot read '" + path.string() + "': " + cause());
}

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Error(ErrorKind::outside, "cannot write '" + name + "': " + cause());
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void sync(int fd, const std::string& name) {
  if (::fsync(fd) != 0) throw Error(ErrorKind::outside, "cannot fsync '" + name + "': " + cause());
}

void write_temporary(const std::string& name, std::string_view bytes, const WriteOptions& options) {
  const Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, options.mode));
  if (!file.is_open()) throw Error(ErrorKind::outside, "cannot write '" + name + "': " + cause());
  write_all(file.fd(), bytes, name);
  if (options.durable) sync(file.fd(), name);
}

/// Into a pipe or device, which stays what it is.
void write_through(const std::filesystem::path& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) throw Error(ErrorKind::outside, "cannot write '" + path.string() + "': " + cause());
  write_all(file.fd(), bytes, path.string());
}

}  // namespace

bool is_of_machine(int fault) {
  switch (fault) {
    case EIO:
    case ENOSPC:
    case EDQUOT:
    case EROFS:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case EACCES:
    case EPERM:
    case ESTALE:
    case ENOTCONN:
    case ETIMEDOUT: return true;
    default: return false;
  }
}

bool is_disk_full(const std::filesystem::path& path) {
  constexpr std::uintmax_t kLeastRoom = 1 << 20;  // bytes
  std::error_code none;
  const std::filesystem::space_info space = std::filesystem::space(path, none);
  return !none && space.available < std::max(kLeastRoom, space.capacity / 1000);
}

std::string special_kind(const std::filesystem::path& path) {
  std::error_code none;
  switch (std::filesystem::status(path, none).type()) {
    case std::filesystem::file_type::directory: return "a folder";
    case std::filesystem::file_type::fifo: return "a named pipe";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character: return "a device";
    case std::filesystem::file_type::socket: return "a socket";
    default: return {};
  }
}

std::filesystem::path own_library(const std::filesystem::path& programs, const std::string& name) {
  std::error_code none;
  const std::filesystem::path beside = programs / name, installed = programs.parent_path() / "lib" / "dlrun" / name;
  return !std::filesystem::exists(beside, none) && std::filesystem::exists(installed, none) ? installed : beside;
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) cannot_read(path);
  std::string bytes;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(file.fd(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(path);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > limit) throw Error(ErrorKind::usage, "'" + path.string() + "' is larger than the limit");
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor dir(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.is_open()) sync(dir.fd(), folder.string());
}

void write_file(const std::filesystem::path& path, std::string_view bytes, const WriteOptions& options) {
  if (!special_kind(path).empty() && !std::filesystem::is_directory(path)) return write_through(path, bytes);
  const std::string temporary = path.string() + ".tmp" + std::to_string(::getpid());
  try {
    write_temporary(temporary, bytes, options);
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      throw Error(ErrorKind::outside, "cannot rename to '" + path.string() + "': " + cause());
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (options.durable) sync_folder(path.has_parent_path() ? path.parent_path() : ".");
}

void move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  {
    const Descriptor file(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.is_open()) throw Error(ErrorKind::outside, "cannot read '" + from.string() + "': " + cause());
    sync(file.fd(), from.string());
  }
  if (::rename(from.c_str(), to.c_str()) != 0)
    throw Error(ErrorKind::outside, "cannot rename to '" + to.string() + "': " + cause());
  sync_folder(to.has_parent_path() ? to.parent_path() : ".");
}

FileWriter::FileWriter(std::filesystem::path path, unsigned mode)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)) {
  if (fd_ < 0) throw Error(ErrorKind::outside, "cannot write '" + path_.string() + "': " + cause());
}

FileWriter::~FileWriter() { ::close(fd_); }

void FileWriter::write(std::string_view bytes) {
  write_all(fd_, bytes, path_.string());
  ends_with_hole_ = false;
}

void FileWriter::write_sparse(std::string_view bytes) {
  if (bytes.find_first_not_of('\0') != std::string_view::npos) return write(bytes);
  if (::lseek(fd_, off_t(bytes.size()), SEEK_CUR) < 0)
    throw Error(ErrorKind::outside, "cannot write '" + path_.string() + "': " + cause());
  ends_with_hole_ = true;
}

void FileWriter::finish() {
  if (ends_with_hole_ && ::ftruncate(fd_, ::lseek(fd_, 0, SEEK_CUR)) != 0)
    throw Error(ErrorKind::outside, "cannot write '" + path_.string() + "': " + cause());
  ends_with_hole_ = false;
}

void FileWriter::sync() {
  finish();
  dlrun::sync(fd_, path_.string());
}

FileReader::FileReader(std::filesystem::path path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) cannot_read(path_);
}

FileReader::~FileReader() { ::close(fd_); }

std::size_t FileReader::read(char* buffer, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(fd_, buffer, size);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(ErrorKind::outside, "cannot read '" + path_.string() + "': " + cause());
  return std::size_t(got);
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code fault;
  std::filesystem::directory_iterator at(folder, fault), end;
  for (; !fault && at != end; at.increment(fault)) entries.push_back(at->path());
  if (fault && fault != std::errc::no_such_file_or_directory && fault != std::errc::not_a_directory)
    throw Error(ErrorKind::outside, "cannot read folder '" + folder.string() + "': " + fault.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_temporary(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t mark = name.rfind(".tmp");
  return mark != std::string::npos && mark + 4 < name.size() &&
         name.find_first_not_of("0123456789", mark + 4) == std::string::npos;
}

void make_folders(const std::filesystem::path& path) {
  if (path.empty() || std::filesystem::is_directory(path)) return;
  make_folders(path.parent_path());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(ErrorKind::outside, "cannot make folder '" + path.string() + "': " + cause());
  }
}

}  // namespace dlrun
