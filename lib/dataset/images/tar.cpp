// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/tar.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kBlock = 512;

/// A field of a header: where it begins, and its bytes.
struct Field {
  std::size_t at, size;
};
constexpr Field kName{0, 100}, kSize{124, 12}, kCheck{148, 8}, kMagic{257, 5}, kPrefix{345, 155};
constexpr std::size_t kType = 156;

class TarReader {
 public:
  TarReader(std::string_view archive, const std::string& file) : archive_(archive), file_(file) {}

  std::vector<TarMember> read_members() {
    while (!at_end()) member();
    if (members_.empty()) fail("holds no files", "fetch it again");
    return std::move(members_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw DataError("path", fmt::format("'{}' {}", file_, what), hint, fmt::format("{}, byte {}", file_, at_));
  }

  /// A block of zeros ends an archive, and so may its last byte.
  bool at_end() const {
    if (at_ == archive_.size()) return true;
    const std::string_view block = archive_.substr(at_, kBlock);
    if (block.size() < kBlock) fail("is cut off: its tar data end within a header", "fetch it again");
    return std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; });
  }

  std::string_view field(Field field) const { return archive_.substr(at_ + field.at, field.size); }

  static std::string text(std::string_view field) { return std::string(field.substr(0, field.find('\0'))); }

  /// Octal digits, with blanks or zeros around them.
  static std::optional<std::uint64_t> octal(std::string_view field) {
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\0')) field.remove_suffix(1);
    std::uint64_t value = 0;
    for (const char c : field) {
      if (c < '0' || c > '7') return std::nullopt;
      value = value * 8 + std::uint64_t(c - '0');
    }
    return field.empty() ? std::nullopt : std::optional(value);
  }

  /// Checksum of a header, with its own field taken as blanks.
  std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const bool is_own = i >= kCheck.at && i < kCheck.at + kCheck.size;
      sum += is_own ? ' ' : static_cast<unsigned char>(archive_[at_ + i]);
    }
    return sum;
  }

  std::string name() const {
    const std::string prefix = field(kMagic) == "ustar" ? text(field(kPrefix)) : "";
    return prefix.empty() ? text(field(kName)) : prefix + "/" + text(field(kName));
  }

  void member() {
    if (octal(field(kCheck)) != sum())
      fail("is damaged, or no tar archive: a header's checksum is wrong", "fetch it again");
    const std::optional<std::uint64_t> size = octal(field(kSize));
    if (!size) fail("has a member whose size is no number", "fetch it again");
    const char type = archive_[at_ + kType];
    TarMember member{name(), {}};
    const std::size_t left = archive_.size() - at_ - kBlock;
    if (*size > left)
      fail(fmt::format("is cut off: '{}' has {} bytes, but {} are left", member.name, *size, left), "fetch it again");
    member.bytes = archive_.substr(at_ + kBlock, *size);
    if (type == '0' || type == '\0') members_.push_back(std::move(member));
    at_ += kBlock + std::min<std::size_t>(left, (*size + kBlock - 1) / kBlock * kBlock);
  }

  std::string_view archive_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::vector<TarMember> members_;
};

}  // namespace

std::vector<TarMember> read_tar(std::string_view archive, const std::string& file) {
  return TarReader(archive, file).read_members();
}

}  // namespace dlrun::dataset
