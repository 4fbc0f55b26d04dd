// SPDX-License-Identifier: Apache-2.0
// The key that a study's driver and its workers on other machines share: 32 random bytes in a file of their user's.
#pragma once
#include <array>
#include <filesystem>

namespace dlrun::protocol {

/// 256 bits; wiped when it goes. Only its file's path is ever handed on, never in arguments, environment or logs.
class Secret {
 public:
  using Bytes = std::array<unsigned char, 32>;
  explicit Secret(const Bytes& bytes) : bytes_(bytes) {}
  ~Secret();
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

/// @throws Error(usage) if the file cannot be read, is no key, or others than its owner may read it (as ssh does).
Secret read_secret(const std::filesystem::path& file);

/// Reads the key; if there is none, makes it first (0600, from the kernel's random numbers). Kept for the study's life.
/// @throws Error(usage) as above, Error(outside) where it cannot be written.
Secret keep_secret(const std::filesystem::path& file);

}  // namespace dlrun::protocol
