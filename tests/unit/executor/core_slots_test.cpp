// SPDX-License-Identifier: Apache-2.0
#include "executor/core_slots.hpp"

#include "support/catch.hpp"

namespace core_slots_test {

using dlrun::executor::CoreSlots;
using Cores = std::vector<int>;

TEST_CASE("no core is given to two workers, and a dead one's go to the next", "[executor][pin]") {
  CoreSlots slots(2, {0, 1, 4, 5, 7});
  CHECK(slots.workers() == 2);
  CHECK(slots.acquire(0) == Cores{0, 1});
  CHECK(slots.acquire(1) == Cores{4, 5});
  CHECK(slots.workers() == 0);
  slots.give_back(0);
  CHECK(slots.acquire(2) == Cores{0, 1});
}

}  // namespace core_slots_test
