// SPDX-License-Identifier: Apache-2.0
#include "dataset/bytes.hpp"

#include <zlib.h>

#include <algorithm>

#include <fmt/format.h>

#include "dataset/dataset.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

/// Deflate packs no better than this (RFC 1951: 258 bytes for 2 bits), so no more is set aside in advance.
constexpr std::size_t kBestDeflateRatio = 1032;
constexpr std::size_t kSmallest = 1 << 16;

bool is_gzip(const std::string& bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

/// The size after unpacking that the last four bytes claim; a hint only.
std::size_t claimed_size(const std::string& packed) {
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) size |= std::size_t(static_cast<unsigned char>(packed[packed.size() - 4 + i])) << (8 * i);
  return std::clamp(size, kSmallest, packed.size() * kBestDeflateRatio);
}

/// Unpacks all members of a gzip file, one after the other.
class Inflater {
 public:
  Inflater(const std::string& packed, std::string name, std::size_t limit)
      : name_(std::move(name)), limit_(limit), size_(packed.size()) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw Error(ErrorKind::outside, "zlib cannot start");
    left_ = packed.size();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run(std::size_t first_size) {
    std::string out(std::min(first_size, limit_), '\0');
    do {
      member(out);
    } while (next_member());
    out.resize(done_);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw DataError("path", fmt::format("'{}' {}", name_, what), hint,
                    fmt::format("{}, byte {}", name_, size_ - left_));
  }

  void member(std::string& out) {
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (done_ == out.size()) grow(out);
      status = step(out);
      if (status == Z_DATA_ERROR || status == Z_NEED_DICT)
        fail("is damaged: its gzip data or checksum is wrong", "fetch it again");
      if (status == Z_BUF_ERROR && left_ == 0) fail("is cut off: its gzip data ends too early", "fetch it again");
      if (status == Z_MEM_ERROR) throw Error(ErrorKind::outside, "no memory to unpack '" + name_ + "'");
    }
  }

  int step(std::string& out) {
    constexpr std::size_t kMost = std::size_t(1) << 30;
    const std::size_t in = std::min(left_, kMost);
    const std::size_t room = std::min(out.size() - done_, kMost);
    stream_.avail_in = static_cast<uInt>(in);
    stream_.avail_out = static_cast<uInt>(room);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + done_);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    left_ -= in - stream_.avail_in;
    done_ += room - stream_.avail_out;
    return status;
  }

  void grow(std::string& out) {
    if (out.size() > limit_) fail(fmt::format("unpacks to more than {} bytes", limit_), "");
    out.resize(std::min(std::max(out.size() * 2, kSmallest), limit_ + 1));
  }

  bool next_member() {
    if (left_ == 0) return false;
    if (left_ < 2 || stream_.next_in[0] != 0x1f || stream_.next_in[1] != 0x8b) {
      fail(fmt::format("has {} bytes behind its gzip data", left_), "fetch it again");
    }
    inflateReset(&stream_);
    return true;
  }

  z_stream stream_{};
  std::string name_;
  std::size_t limit_;
  std::size_t size_;
  std::size_t left_ = 0;
  std::size_t done_ = 0;
};

std::string read_packed(const std::filesystem::path& path, std::size_t limit) {
  if (std::filesystem::is_directory(path)) {
    throw DataError("path", fmt::format("'{}' is a folder, not a file", path.string()));
  }
  try {
    return read_file(path, limit);
  } catch (const Error& fault) {
    throw DataError("path", fault.what(), fault.hint(), path.string());
  }
}

}  // namespace

Content read_content(const std::filesystem::path& path, std::size_t limit) {
  return unpack(read_packed(path, limit), path.string(), limit);
}

Content unpack(std::string bytes, const std::string& name, std::size_t limit) {
  Content content{std::move(bytes), {}};
  if (content.bytes.empty()) throw DataError("path", fmt::format("'{}' is empty", name), "fetch it again");
  content.sha256 = Sha256::hex_of(content.bytes);
  if (!is_gzip(content.bytes)) return content;
  const std::string packed = std::move(content.bytes);
  content.bytes = Inflater(packed, name, limit).run(packed.size() < 18 ? kSmallest : claimed_size(packed));
  return content;
}

}  // namespace dlrun::dataset
