// SPDX-License-Identifier: Apache-2.0
#include "energy/shares.hpp"

#include "support/catch.hpp"

namespace shares_test {

using namespace dlrun::energy;

TEST_CASE("what was counted goes to those who ran, by their time", "[energy][shares]") {
  Shares shares;
  shares.use(1, 3);
  shares.use(2, 1);
  shares.settle(8.0);
  shares.use(2, 2);
  shares.settle(5.0);
  CHECK(shares.close_account(1)->joules.value() == Approx(6));
  CHECK(shares.close_account(2)->joules.value() == Approx(2 + 5));
  CHECK_FALSE(shares.close_account(1));
  CHECK_FALSE(shares.close_account(3));
}

TEST_CASE("who ran while nothing is known is not known, others are", "[energy][shares]") {
  Shares shares;
  shares.use(1, 1);
  shares.settle(1.0);
  shares.use(1, 1);
  shares.use(2, 1);
  shares.settle(std::nullopt);
  shares.use(2, 1);
  shares.use(3, 1);
  shares.settle(4.0);
  CHECK_FALSE(shares.close_account(1)->joules);
  CHECK_FALSE(shares.close_account(2)->joules);
  CHECK(shares.close_account(3)->joules.value() == Approx(2));
}

TEST_CASE("nothing is no measurement", "[energy][shares]") {
  Shares shares;
  shares.use(1, 0.001);
  shares.settle(0.0);
  REQUIRE(shares.close_account(1));
  CHECK_FALSE(shares.close_account(1));
}

TEST_CASE("the parts add up to what was counted", "[energy][shares]") {
  Shares shares;
  double counted = 0, sum = 0;
  for (int i = 1; i <= 100; ++i) {
    for (std::int64_t holder = 0; holder < i % 7; ++holder) shares.use(holder * i % 5, 0.1 * double(holder + i));
    shares.settle(3.25 * i);
    if (i % 7 > 0) counted += 3.25 * i;
  }
  for (std::int64_t holder = 0; holder < 5; ++holder)
    if (const auto part = shares.close_account(holder)) sum += part->joules.value();
  CHECK(sum == Approx(counted));
}

}  // namespace shares_test
