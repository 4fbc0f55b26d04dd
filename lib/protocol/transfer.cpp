// SPDX-License-Identifier: Apache-2.0
#include "protocol/transfer.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "util/error.hpp"

namespace dlrun::protocol {

namespace {

constexpr std::int64_t kUnsynced = 8 << 20;  ///< bytes: a sync of all at the end would keep the others waiting

}  // namespace

IncomingArtifact::IncomingArtifact(const Offer& offer, std::filesystem::path temporary)
    : sha256_(offer.sha256), bytes_(offer.bytes), temporary_(std::move(temporary)) {
  file_.emplace(temporary_);
}

IncomingArtifact::~IncomingArtifact() {
  std::error_code none;
  std::filesystem::remove(temporary_, none);
}

std::vector<Want> IncomingArtifact::wants() {
  std::vector<Want> out;
  asked_ = std::max(asked_, received_);
  for (; asked_ < std::min(bytes_, received_ + kAhead); asked_ += kChunkBytes) out.push_back({sha256_, asked_});
  return out;
}

void IncomingArtifact::write(const Chunk& chunk) {
  const auto size = static_cast<std::int64_t>(chunk.bytes.size());
  const bool is_next = chunk.sha256 == sha256_ && chunk.offset == received_ && !is_whole();
  if (!is_next) return;
  if (size != std::min(kChunkBytes, bytes_ - received_)) {
    throw Error(ErrorKind::usage,
                fmt::format("a chunk of artifact {} has {} bytes, not what was wanted", sha256_, size));
  }
  file_->write(chunk.bytes);
  hash_.add(chunk.bytes);
  received_ += size;
  if (received_ - synced_ < kUnsynced) return;
  file_->sync();
  synced_ = received_;
}

void IncomingArtifact::finish(const std::filesystem::path& path) {
  const std::string found = hash_.finish_hex();
  if (found != sha256_) {
    throw Error(ErrorKind::store, fmt::format("what came as artifact {} has the content of {}", sha256_, found));
  }
  file_.reset();
  make_folders(path.parent_path());
  move_file(temporary_, path);
}

OutgoingArtifact::OutgoingArtifact(std::string sha256, const std::filesystem::path& file)
    : sha256_(std::move(sha256)), file_(file) {
  struct stat facts {};
  const bool is_file = ::fstat(file_.descriptor(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (!is_file) throw Error(ErrorKind::usage, "'" + file.string() + "' is no file");
  bytes_ = facts.st_size;
}

Chunk OutgoingArtifact::chunk(std::int64_t offset) const {
  if (offset < 0 || offset >= bytes_) throw Error(ErrorKind::usage, "what is wanted lies outside of the artifact");
  Chunk out{sha256_, offset, std::string(static_cast<std::size_t>(std::min(kChunkBytes, bytes_ - offset)), '\0')};
  for (std::size_t done = 0; done < out.bytes.size();) {
    const ssize_t got = ::pread(file_.descriptor(), out.bytes.data() + done, out.bytes.size() - done,
                                static_cast<off_t>(offset) + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error(ErrorKind::outside, "artifact " + sha256_ + " cannot be read to its end");
    done += static_cast<std::size_t>(got);
  }
  return out;
}

}  // namespace dlrun::protocol
