// SPDX-License-Identifier: Apache-2.0
#include "storage/lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <thread>

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

Json read_holder(const std::filesystem::path& file) { return Json::parse(read_file(file, 4096), nullptr, false); }

bool is_running(std::int64_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.find(") Z ") == std::string::npos;
}

/// A driver that was killed while it started a worker: the child holds our lock's description until it has become the
/// worker's program, which takes a moment.
bool is_held_by_a_ghost(const std::filesystem::path& file) {
  const Json json = read_holder(file);
  if (!json.is_object() || json.value("host", Json()) != host_name()) return false;
  const Json pid = json.value("pid", Json());
  return pid.is_number_integer() && !is_running(pid.get<std::int64_t>());
}

bool try_lock(int fd) {
  struct flock range = whole_file(F_WRLCK);
  return ::fcntl(fd, F_OFD_SETLK, &range) == 0;
}

/// True: it is ours. Waits for a ghost to go, two seconds; longer where the machine lets us run as seldom as the ghost,
/// for naps are counted.
bool lock(int fd, const std::filesystem::path& file) {
  constexpr int kNaps = 400;
  for (int nap = 0; !try_lock(fd); ++nap) {
    if (nap == kNaps || !is_held_by_a_ghost(file)) return false;
    ::usleep(5000);
  }
  return true;
}

void write_holder(int fd) {
  const Json json = {{"host", host_name()}, {"pid", ::getpid()}, {"since", to_iso(now_ms())}};
  const std::string text = to_text(json) + "\n";
  // The text is only for people: a disk too full for it must not keep anybody from the lock.
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

int open_lock(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) return fd;
  throw Error(ErrorKind::outside, "cannot open '" + file.string() + "': " + std::generic_category().message(errno),
              "check that the folder exists and that you may write there, or name another with --store");
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& file, const std::string& what) : WriterLock(file, open_lock(file)) {
  if (lock(fd_, file)) {
    write_holder(fd_);
    return;
  }
  throw Error(ErrorKind::store, what + " is being written by " + holder(file),
              "wait until it ends, end it with `dlrun stop`, or take a study over with `dlrun resume --take-over`",
              file.string());
}

std::optional<WriterLock> WriterLock::wait_for(const std::filesystem::path& file, std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds kNap{20};
  WriterLock held(file, open_lock(file));
  for (auto waited = std::chrono::milliseconds(0); !lock(held.fd_, file); waited += kNap) {
    if (waited >= most) return std::nullopt;
    std::this_thread::sleep_for(kNap);
  }
  write_holder(held.fd_);
  return held;
}

WriterLock::~WriterLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool WriterLock::is_held(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return errno != ENOENT && errno != ENOTDIR;
  struct flock range = whole_file(F_RDLCK);
  const bool is_free = ::fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type == F_UNLCK;
  ::close(fd);
  return !is_free;
}

/// A file that is gone was removed by hand, which takes nothing from us.
bool WriterLock::is_ours() const {
  struct stat ours {};
  struct stat named {};
  if (::fstat(fd_, &ours) != 0 || ::stat(file_.c_str(), &named) != 0) return true;
  return ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

std::string WriterLock::holder(const std::filesystem::path& file) {
  const Json json = read_holder(file);
  if (!json.is_object()) return "another process";
  const auto field = [&](const char* name) -> std::string {
    if (!json.contains(name)) return "?";
    return json[name].is_string() ? json[name].get<std::string>() : to_text(json[name]);
  };
  return "process " + field("pid") + " on " + field("host") + " since " + field("since");
}

void WriterLock::revoke(const std::filesystem::path& file) { write_file(file, "", {.durable = false}); }

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace dlrun::storage
