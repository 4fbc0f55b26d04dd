// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4, by OpenSSL): names artifacts, chains events, keys random streams.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dlrun {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  Digest finish();
  std::string finish_hex();

  static Digest of(std::string_view bytes);
  static std::string hex_of(std::string_view bytes);
  static std::string to_hex(const Digest& digest);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "3fa2c1d4e5f6", the first digits of a hash, for people.
inline std::string short_hash(const std::string& sha256) { return sha256.substr(0, 12); }

}  // namespace dlrun
