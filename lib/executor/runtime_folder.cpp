// SPDX-License-Identifier: Apache-2.0
#include "executor/runtime_folder.hpp"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::executor {

namespace {

constexpr std::size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;  // 107 bytes and the closing zero

std::filesystem::path unchecked_folder(const std::string& identity) {
  const std::string hash = Sha256::hex_of(identity).substr(0, 12);
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') {
    if (::access(runtime, W_OK) == 0) return std::filesystem::path(runtime) / ("dlrun-" + hash);
  }
  const char* temporary = std::getenv("TMPDIR");
  const std::filesystem::path base = temporary != nullptr && *temporary == '/' ? temporary : "/tmp";
  return base / ("dlrun-" + std::to_string(::getuid()) + "-" + hash);
}

void require_short(const std::filesystem::path& socket) {
  if (socket.native().size() <= kMaxSocketPath) return;
  throw Error(ErrorKind::usage,
              "the socket path '" + socket.string() + "' has " + std::to_string(socket.native().size()) +
                  " bytes, a socket's path may have 107",
              "set XDG_RUNTIME_DIR or TMPDIR to a shorter folder");
}

void require_private(const std::filesystem::path& folder) {
  struct stat facts {};
  const bool is_known = ::lstat(folder.c_str(), &facts) == 0;
  if (is_known && S_ISDIR(facts.st_mode) && facts.st_uid == ::getuid() && (facts.st_mode & 077) == 0) return;
  throw Error(ErrorKind::usage, "'" + folder.string() + "' is not a private folder of this user",
              "remove it, or set XDG_RUNTIME_DIR to a folder of your own");
}

}  // namespace

std::filesystem::path socket_in(const std::filesystem::path& folder) { return folder / "s"; }

std::filesystem::path runtime_folder(const std::string& identity) {
  std::filesystem::path folder = unchecked_folder(identity);
  require_short(socket_in(folder));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(ErrorKind::outside,
                "cannot make folder '" + folder.string() + "': " + std::generic_category().message(errno),
                "set XDG_RUNTIME_DIR or TMPDIR to a folder that can be written");
  }
  require_private(folder);
  return folder;
}

RuntimeFolderEnd::~RuntimeFolderEnd() { ::rmdir(unchecked_folder(identity_).c_str()); }

}  // namespace dlrun::executor
