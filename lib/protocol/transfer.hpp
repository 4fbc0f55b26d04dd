// SPDX-License-Identifier: Apache-2.0
// An artifact on its way between a worker that does not see the store and the driver, piece by piece. The receiver
// asks for each piece, so neither side ever holds more than kAhead of it; who sends keeps nothing in mind. No socket
// inside.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::protocol {

inline constexpr std::int64_t kChunkBytes = 256 << 10;
inline constexpr std::int64_t kAhead = 8 * kChunkBytes;            ///< asked for and not yet there, at most
inline constexpr std::int64_t kMostBytes = std::int64_t(1) << 32;  ///< size of an artifact: read_file takes no more

/// The receiver's end: written to a temporary file, compared with its name, then renamed.
class IncomingArtifact {
 public:
  /// @param temporary  new, on the disk of its later place @throws Error(outside)
  IncomingArtifact(const Offer& offer, std::filesystem::path temporary);
  ~IncomingArtifact();  ///< deletes a file that is not whole
  IncomingArtifact(const IncomingArtifact&) = delete;
  IncomingArtifact& operator=(const IncomingArtifact&) = delete;

  const std::string& sha256() const { return sha256_; }
  bool is_of(const Offer& offer) const { return offer.sha256 == sha256_ && offer.bytes == bytes_; }
  /// Pieces to ask for now.
  std::vector<Want> wants();
  /// Asks again, over a new connection, for pieces that have not come.
  void ask_again() { asked_ = received_; }
  /// Writes the next piece and ignores any other. @throws Error(outside) for a full disk and the like; Error(usage)
  /// where it is longer or shorter than was wanted.
  void write(const Chunk& chunk);
  bool is_whole() const { return received_ == bytes_; }
  /// Gives it its name, durably. REQUIRES: is_whole(). @throws Error(store) where it is not what its name says.
  void finish(const std::filesystem::path& path);

 private:
  std::string sha256_;
  std::int64_t bytes_;
  std::int64_t asked_ = 0, received_ = 0, synced_ = 0;
  std::filesystem::path temporary_;
  std::optional<FileWriter> file_;
  Sha256 hash_;
};

/// The sender's end.
class OutgoingArtifact {
 public:
  /// @throws Error(usage) it cannot be read.
  OutgoingArtifact(std::string sha256, const std::filesystem::path& file);

  const std::string& sha256() const { return sha256_; }
  std::int64_t bytes() const { return bytes_; }
  /// @throws Error(usage) for an offset outside of it; Error(outside) it cannot be read.
  Chunk chunk(std::int64_t offset) const;

 private:
  std::string sha256_;
  FileReader file_;
  std::int64_t bytes_ = 0;
};

}  // namespace dlrun::protocol
