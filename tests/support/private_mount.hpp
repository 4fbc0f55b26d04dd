// SPDX-License-Identifier: Apache-2.0
// A small file system of a test's own: full disks and read-only folders are made, not awaited, and nobody else sees
// them.
#pragma once
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

namespace dlrun::support {

inline constexpr int kCannotMount = 77;  ///< the system allows no mounts to this user

namespace detail {

inline void write_text(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY);
  if (fd < 0) return;
  if (::write(fd, text.data(), text.size()) < 0) std::perror(path);
  ::close(fd);
}

/// A mount namespace of our own; without root inside a user namespace of our own.
inline bool enter_namespace() {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (uid == 0) return ::unshare(CLONE_NEWNS) == 0;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
  write_text("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
  return true;
}

inline bool mount_tmpfs(const std::filesystem::path& folder, const std::string& options) {
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

}  // namespace detail

/// Remounts the file system of in_private_tmpfs(), e.g. {.flags = MS_RDONLY} or another size.
inline bool remount(const std::filesystem::path& folder, unsigned long flags, const std::string& options) {
  return ::mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT | flags, options.c_str()) == 0;
}

/// Runs `act` in a child process that sees a tmpfs with these options ("size=1m") on `folder`.
/// @return what `act` returned, kCannotMount, or -1 where the child was killed
inline int in_private_tmpfs(const std::filesystem::path& folder, const std::string& options,
                            const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!detail::enter_namespace() || !detail::mount_tmpfs(folder, options)) ::_exit(kCannotMount);
    int code = 70;
    try {
      code = act();
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "in the private mount: %s\n", fault.what());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace dlrun::support
