// SPDX-License-Identifier: Apache-2.0
#include "util/random.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace random_test {

using namespace dlrun;

TEST_CASE("philox gives the published test vectors", "[util][random]") {
  // Random123 kat_vectors, philox4x32-10.
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST_CASE("a stream depends on its seed and name alone", "[util][random]") {
  RandomStream a(7, {"init", "fc1.weight"});
  RandomStream b(7, {"init", "fc1.weight"});
  CHECK(a.next_u64() == b.next_u64());
  CHECK(RandomStream(7, {"init", "fc1.weight"}).next_u64() != RandomStream(8, {"init", "fc1.weight"}).next_u64());
  CHECK(RandomStream(7, {"ab", "c"}).next_u64() != RandomStream(7, {"a", "bc"}).next_u64());
}

TEST_CASE("seek goes where drawing would have gone", "[util][random]") {
  RandomStream drawn(1, {"x"});
  for (int i = 0; i < 13; ++i) drawn.next_u32();
  RandomStream sought(1, {"x"});
  sought.seek(13);
  CHECK(sought.next_u32() == drawn.next_u32());
}

TEST_CASE("below is even and normal has mean 0 and variance 1", "[util][random]") {
  RandomStream stream(3, {"moments"});
  int counts[3] = {};
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 30000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[stream.below(3)];
    const double z = stream.normal();
    sum += z;
    squares += z * z;
  }
  for (const int count : counts) CHECK(std::abs(count - kDraws / 3) < 400);
  CHECK(std::abs(sum / kDraws) < 0.02);
  CHECK(std::abs(squares / kDraws - 1) < 0.03);
}

}  // namespace random_test
