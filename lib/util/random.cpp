// SPDX-License-Identifier: Apache-2.0
#include "util/random.hpp"

#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "util/arithmetic.hpp"
#include "util/sha256.hpp"

namespace dlrun {

namespace {

constexpr std::uint32_t kMul0 = 0xD2511F53u;
constexpr std::uint32_t kMul1 = 0xCD9E8D57u;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9u;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85u;
constexpr int kRounds = 10;

std::uint32_t word(const Sha256::Digest& digest, int index) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t(digest[index * 4 + i]) << (8 * i);
  return value;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = std::uint64_t(kMul0) * counter[0];
    const std::uint64_t b = std::uint64_t(kMul1) * counter[2];
    counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key[0], std::uint32_t(b),
               std::uint32_t(a >> 32) ^ counter[3] ^ key[1], std::uint32_t(a)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::initializer_list<std::string_view> name) {
  std::string text = std::to_string(seed);
  for (const std::string_view part : name) {
    text += '\0';
    text += part;
  }
  const Sha256::Digest digest = Sha256::of(text);
  key_ = {word(digest, 0), word(digest, 1)};
  high_ = {word(digest, 2), word(digest, 3)};
}

std::uint32_t RandomStream::next_u32() {
  const std::uint64_t block = position_ / 4;
  if (position_ % 4 == 0) {
    block_ = philox({std::uint32_t(block), std::uint32_t(block >> 32), high_[0], high_[1]}, key_);
  }
  return block_[position_++ % 4];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t low = next_u32();
  return low | std::uint64_t(next_u32()) << 32;
}

double RandomStream::uniform() { return double(next_u64() >> 11) * 0x1.0p-53; }

std::uint64_t RandomStream::below(std::uint64_t bound) {
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const unsigned __int128 product = static_cast<unsigned __int128>(next_u64()) * bound;
    if (std::uint64_t(product) >= threshold) return std::uint64_t(product >> 64);
  }
}

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * arithmetic::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * arithmetic::sin(angle);
  has_spare_ = true;
  return radius * arithmetic::cos(angle);
}

void RandomStream::seek(std::uint64_t position) {
  has_spare_ = false;
  position_ = position / 4 * 4;
  while (position_ < position) next_u32();
}

}  // namespace dlrun
