// SPDX-License-Identifier: Apache-2.0
#include "nn/philox_fill.hpp"

#include <algorithm>

#include "util/clones.hpp"

namespace dlrun::nn {

namespace {

constexpr int kLanes = 16;  // counters worked on together: two vectors of AVX2, one of AVX-512
constexpr int kRounds = 10;

/// Salmon et al., SC 2011, as in util/random.cpp; integer arithmetic, so every instruction set gives the same words.
DLRUN_CLONES void fill_lanes(std::uint32_t key0, std::uint32_t key1, std::uint32_t block, std::uint64_t stream,
                             std::uint32_t* out) {
  std::uint32_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    c0[i] = block + std::uint32_t(i);
    c1[i] = 0;
    c2[i] = std::uint32_t(stream);
    c3[i] = std::uint32_t(stream >> 32);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const std::uint64_t a = std::uint64_t(0xD2511F53u) * c0[i];
      const std::uint64_t b = std::uint64_t(0xCD9E8D57u) * c2[i];
      c0[i] = std::uint32_t(b >> 32) ^ c1[i] ^ key0;
      c2[i] = std::uint32_t(a >> 32) ^ c3[i] ^ key1;
      c1[i] = std::uint32_t(b);
      c3[i] = std::uint32_t(a);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int i = 0; i < kLanes; ++i) {
    out[4 * i] = c0[i];
    out[4 * i + 1] = c1[i];
    out[4 * i + 2] = c2[i];
    out[4 * i + 3] = c3[i];
  }
}

}  // namespace

void philox_fill(std::array<std::uint32_t, 2> key, std::uint64_t stream, std::uint32_t* words, std::size_t count) {
  constexpr std::size_t kChunk = 4 * kLanes;
  std::uint32_t block = 0;
  for (; count >= kChunk; count -= kChunk, words += kChunk, block += kLanes) {
    fill_lanes(key[0], key[1], block, stream, words);
  }
  if (count == 0) return;
  std::uint32_t rest[kChunk];
  fill_lanes(key[0], key[1], block, stream, rest);
  std::copy_n(rest, count, words);
}

}  // namespace dlrun::nn
