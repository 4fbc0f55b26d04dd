// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "fuzz.hpp"

namespace dlrun::fuzz {

namespace {

std::size_t place(const std::string& bytes, RandomStream& random) {
  // Headers are short and matter most.
  const std::size_t reach = random.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 64) : bytes.size();
  return random.below(reach);
}

void flip(std::string& bytes, RandomStream& random) {
  for (std::uint64_t i = random.below(8); i < 8; ++i)
    bytes[place(bytes, random)] ^= static_cast<char>(1 << random.below(8));
}

/// A number of 1, 2, 4 or 8 bytes where limits are.
void overwrite(std::string& bytes, RandomStream& random) {
  static constexpr std::uint64_t kNumbers[] = {0,
                                               1,
                                               0x7f,
                                               0x80,
                                               0xff,
                                               0x7fff,
                                               0xffff,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               std::uint64_t(1) << 62,
                                               std::uint64_t(1) << 63,
                                               ~std::uint64_t(0)};
  const std::uint64_t number = kNumbers[random.below(std::size(kNumbers))];
  const std::size_t at = place(bytes, random), width = std::size_t(1) << random.below(4);
  const bool is_big = random.below(2) == 0;
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(number >> (8 * (is_big ? width - 1 - i : i)));
}

/// Something that texts trip over.
void insert_text(std::string& bytes, RandomStream& random) {
  static const std::string kTexts[] = {
      "\"", "\n", "\r\n", ",", "9223372036854775808", "-1",       "1e999", "nan", "\xff\xfe",
      "{",  "}",  "[",    "(", std::string(1, '\0'),  "\xc0\x80", "inf",   "'",   "99999999999999999999999"};
  bytes.insert(place(bytes, random), kTexts[random.below(std::size(kTexts))]);
}

void mix(std::string& bytes, const std::string& other, RandomStream& random) {
  if (other.empty()) return;
  const std::size_t from = random.below(other.size());
  bytes.replace(place(bytes, random), random.below(64), other.substr(from, random.below(64)));
}

}  // namespace

std::string damaged(std::string bytes, const std::string& other, RandomStream& random) {
  for (std::uint64_t i = random.below(3); i < 3 && !bytes.empty(); ++i) {
    switch (random.below(7)) {
      case 0: bytes.resize(place(bytes, random)); break;
      case 1: bytes.erase(place(bytes, random), random.below(32)); break;
      case 2: bytes.insert(place(bytes, random), bytes.substr(place(bytes, random), random.below(64))); break;
      case 3: overwrite(bytes, random); break;
      case 4: insert_text(bytes, random); break;
      case 5: mix(bytes, other, random); break;
      default: flip(bytes, random);
    }
  }
  return bytes;
}

}  // namespace dlrun::fuzz
