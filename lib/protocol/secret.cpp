// SPDX-License-Identifier: Apache-2.0
#include "protocol/secret.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "util/descriptor.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::protocol {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, "the key file '" + file.string() + "' " + why, hint);
}

/// The key on a file system that is away may be there again soon; permissions stay as they are.
[[noreturn]] void fail(const std::filesystem::path& file, int fault) {
  const bool may_pass = is_of_machine(fault) && fault != EACCES && fault != EPERM;
  throw Error(may_pass ? ErrorKind::outside : ErrorKind::usage,
              "the key file '" + file.string() + "' cannot be read: " + std::generic_category().message(fault));
}

void require_private(const std::filesystem::path& file, int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) fail(file, errno);
  if (!S_ISREG(facts.st_mode)) refuse(file, "is no regular file");
  if (facts.st_uid != ::geteuid()) refuse(file, "belongs to another user");
  if ((facts.st_mode & 077) == 0) return;
  refuse(file, fmt::format("is open to others than its owner (mode {:04o})", facts.st_mode & 07777),
         "if nobody has read it, chmod 600 it; else remove it, and the driver makes a new one when it starts");
}

Secret::Bytes random_bytes() {
  Secret::Bytes bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size())) return bytes;
  throw Error(ErrorKind::outside, "the system gives no random numbers");
}

}  // namespace

Secret::~Secret() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

Secret read_secret(const std::filesystem::path& file) {
  const Descriptor key(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!key.is_open()) fail(file, errno);
  require_private(file, key.fd());
  unsigned char bytes[33];  // one more than there may be
  const ssize_t got = ::read(key.fd(), bytes, sizeof bytes);
  if (got < 0) fail(file, errno);
  Secret::Bytes whole{};
  if (got == static_cast<ssize_t>(whole.size())) std::copy_n(bytes, whole.size(), whole.begin());
  OPENSSL_cleanse(bytes, sizeof bytes);
  if (got != static_cast<ssize_t>(whole.size())) {
    refuse(file, "does not have 32 bytes", "remove it, and the driver makes a new one when it starts");
  }
  return Secret(whole);
}

Secret keep_secret(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, none))) {
    const Secret made(random_bytes());
    write_file(file, {reinterpret_cast<const char*>(made.bytes().data()), made.bytes().size()});
  }
  return read_secret(file);
}

}  // namespace dlrun::protocol
