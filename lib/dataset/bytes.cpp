// SPDX-License-Identifier: Apache-2.0
#include "dataset/bytes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dataset/dataset.hpp"
#include "dataset/gzip.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

/// Deflate packs no better than this (RFC 1951: 258 bytes for 2 bits), so no more is set aside in advance.
constexpr std::size_t kBestDeflateRatio = 1032;
constexpr std::size_t kSmallest = 1 << 16;
constexpr std::size_t kLargestFirst = std::size_t(128) << 20;  ///< the size a file claims may be a lie

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

  void check(std::string_view text) {
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

/// Unpacks a file in memory into a buffer that grows from `first_size` bytes.
class Unpacking {
 public:
  Unpacking(std::string_view packed, const std::string& name, std::size_t limit)
      : name_(name), limit_(limit), gunzip_(name, [packed]() mutable { return std::exchange(packed, {}); }) {}

  std::string unpack_all(std::size_t first_size, LineGuard& lines) {
    std::string out(std::min({first_size, limit_, kLargestFirst}), '\0');
    std::size_t done = 0;
    for (;; grow(out)) {
      const std::size_t count = gunzip_.read(out.data() + done, out.size() - done);
      lines.check(std::string_view(out).substr(done, count));
      done += count;
      if (done < out.size()) break;
    }
    out.resize(done);
    return out;
  }

 private:
  void grow(std::string& out) const {
    if (out.size() > limit_)
      throw DataError("path", fmt::format("'{}' unpacks to more than {} bytes", name_, limit_), "",
                      fmt::format("{}, byte {}", name_, gunzip_.position()));
    out.resize(std::min(std::max(out.size() * 2, kSmallest), limit_ + 1));
  }

  const std::string& name_;
  std::size_t limit_;
  Gunzip gunzip_;
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
  if (!begins_gzip(content.bytes)) {
    lines.check(content.bytes);
    return content;
  }
  const std::string packed = std::move(content.bytes);
  content.bytes =
      Unpacking(packed, name, limit).unpack_all(packed.size() < 18 ? kSmallest : claimed_size(packed), lines);
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

Content read_text_content(const std::filesystem::path& path, std::size_t limit) {
  Content content = read_content(path, limit);
  const std::string& bytes = content.bytes;
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    throw DataError("path", fmt::format("'{}' is UTF-16, no UTF-8", path.string()),
                    "convert it: iconv -f UTF-16 -t UTF-8", path.string());
  if (bytes.starts_with("\xEF\xBB\xBF")) content.bytes.erase(0, 3);
  return content;
}

Content unpack(std::string bytes, const std::string& name, std::size_t limit) {
  return unpacked(std::move(bytes), name, limit, {name, false});
}

}  // namespace dlrun::dataset
