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
constexpr std::size_t kLargestFirst = std::size_t(128) << 20;  ///< the size a file claims may be a lie

bool is_gzip(const std::string& bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

/// The size after unpacking that the last four bytes claim; a hint only.
std::size_t claimed_size(const std::string& packed) {
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) size |= std::size_t(static_cast<unsigned char>(packed[packed.size() - 4 + i])) << (8 * i);
  return std::clamp(size, kSmallest, packed.size() * kBestDeflateRatio);
}

/// Counts lines of a text that comes piece by piece.
class LineGuard {
 public:
  LineGuard(std::string name, bool is_on) : name_(std::move(name)), is_on_(is_on) {}

  void take(std::string_view text) {
    if (!is_on_) return;
    for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      require(length_ + end);
      length_ = 0;
      ++line_;
    }
    require(length_ += text.size());
  }

 private:
  void require(std::size_t length) const {
    if (length > kLongestLine) refuse_long_line(name_, line_);
  }

  std::string name_;
  bool is_on_;
  std::int64_t line_ = 1;
  std::size_t length_ = 0;
};

/// Unpacks all members of a gzip file, one after the other.
class Inflater {
 public:
  Inflater(const std::string& packed, std::string name, std::size_t limit, LineGuard& lines)
      : lines_(lines), name_(std::move(name)), limit_(limit), size_(packed.size()) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw Error(ErrorKind::outside, "zlib cannot start");
    left_ = packed.size();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run(std::size_t first_size) {
    std::string out(std::min({first_size, limit_, kLargestFirst}), '\0');
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
      const std::size_t before = done_;
      status = step(out);
      lines_.take(std::string_view(out).substr(before, done_ - before));
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

  LineGuard& lines_;
  z_stream stream_{};
  std::string name_;
  std::size_t limit_;
  std::size_t size_;
  std::size_t left_ = 0;
  std::size_t done_ = 0;
};

std::string read_packed(const std::filesystem::path& path, std::size_t limit) {
  require_file(path);
  try {
    return read_file(path, limit);
  } catch (const Error& fault) {
    throw DataError::of("path", fault, path.string());
  }
}

Content unpacked(std::string bytes, const std::string& name, std::size_t limit, LineGuard lines) {
  Content content{std::move(bytes), {}};
  if (content.bytes.empty()) throw DataError("path", fmt::format("'{}' is empty", name), "fetch it again");
  content.sha256 = Sha256::hex_of(content.bytes);
  if (!is_gzip(content.bytes)) {
    lines.take(content.bytes);
    return content;
  }
  const std::string packed = std::move(content.bytes);
  content.bytes = Inflater(packed, name, limit, lines).run(packed.size() < 18 ? kSmallest : claimed_size(packed));
  return content;
}

}  // namespace

void require_file(const std::filesystem::path& path) {
  const std::string kind = special_kind(path);
  if (!kind.empty())
    throw DataError("path", fmt::format("'{}' is {}, not a file", path.string(), kind), "", path.string());
}

void refuse_long_line(const std::string& file, std::int64_t line) {
  throw DataError("path", fmt::format("line {} is longer than {} MiB", line, kLongestLine >> 20),
                  "is it a table of text?", fmt::format("{}:{}", file, line));
}

Content read_content(const std::filesystem::path& path, std::size_t limit) {
  return unpack(read_packed(path, limit), path.string(), limit);
}

Content read_table_text(const std::filesystem::path& path, std::size_t limit) {
  return unpacked(read_packed(path, limit), path.string(), limit, {path.string(), true});
}

Content unpack(std::string bytes, const std::string& name, std::size_t limit) {
  return unpacked(std::move(bytes), name, limit, {name, false});
}

}  // namespace dlrun::dataset
