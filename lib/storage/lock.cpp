// SPDX-License-Identifier: Apache-2.0
#include "storage/lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "storage/clock.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::storage {

namespace {

struct flock whole_file(short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  return range;  // l_pid must be 0 for F_OFD_*
}

std::string holder(const std::filesystem::path& file) {
  const Json json = Json::parse(read_file(file, 4096), nullptr, false);
  if (!json.is_object()) return "another process";
  const auto field = [&](const char* name) -> std::string {
    if (!json.contains(name)) return "?";
    return json[name].is_string() ? json[name].get<std::string>() : to_text(json[name]);
  };
  return "process " + field("pid") + " on " + field("host") + " since " + field("since");
}

void write_holder(int fd) {
  const Json json = {{"host", host_name()}, {"pid", ::getpid()}, {"since", to_iso(now_ms())}};
  const std::string text = to_text(json) + "\n";
  // Only for people: a disk too full for it must not keep anybody from the lock.
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& file, const std::string& what) {
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0) {
    throw Error(ErrorKind::outside, "cannot open '" + file.string() + "': " + std::generic_category().message(errno),
                "check that the folder exists and that you may write there, or name another with --store");
  }
  struct flock range = whole_file(F_WRLCK);
  if (::fcntl(fd_, F_OFD_SETLK, &range) == 0) {
    write_holder(fd_);
    return;
  }
  ::close(fd_);
  throw Error(ErrorKind::store, what + " is being written by " + holder(file),
              "wait until it ends, or end it with `dlrun stop`", file.string());
}

WriterLock::~WriterLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool WriterLock::is_held(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  struct flock range = whole_file(F_RDLCK);
  const bool is_free = ::fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type == F_UNLCK;
  ::close(fd);
  return !is_free;
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace dlrun::storage
