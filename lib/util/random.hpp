// SPDX-License-Identifier: Apache-2.0
// Named, counter-based random streams. A stream is a pure function of (seed, name, counter), so no order of calls,
// number of workers or resume can change the draws of a purpose.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace dlrun {

/// One block of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): 128 bits for a counter under a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A stream of random numbers under a name. Copying forks it at the same position.
/// The mapping from name to key is part of the format: golden values in tests/unit/util guard it.
class RandomStream {
 public:
  /// @param name parts of the stream's name, e.g. {"init", "0", "fc1.weight"}; joined with '\0' and hashed with the
  ///             seed by SHA-256 into a 64-bit key and the upper half of the counter.
  RandomStream(std::uint64_t seed, std::initializer_list<std::string_view> name);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform integer in [0, bound), without bias (Lemire 2019). REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal by the Box-Muller transform; draws two uniforms for two values.
  double normal();
  /// Jumps to draw number `position` of 32-bit words, counted from the stream's start.
  void seek(std::uint64_t position);

  std::array<std::uint32_t, 2> key() const { return key_; }

 private:
  std::array<std::uint32_t, 2> key_{};
  std::array<std::uint32_t, 2> high_{};
  std::array<std::uint32_t, 4> block_{};
  std::uint64_t position_ = 0;  ///< words drawn so far
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace dlrun
