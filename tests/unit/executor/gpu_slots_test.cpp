// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu_slots.hpp"

#include "support/catch.hpp"

namespace gpu_slots_test {

using namespace dlrun::executor;
using Names = std::vector<std::string>;

TEST_CASE("which of them a study gets depends on what it asks for", "[executor][gpu]") {
  const Names both{"4", "7"};
  CHECK(gpus_for("cpu", both).empty());
  CHECK(gpus_for("auto", both) == both);
  CHECK(gpus_for("cuda", both) == both);
  CHECK(gpus_for("cuda:0", both) == Names{"4"});
  CHECK(gpus_for("cuda:1", both) == Names{"7"});
  CHECK(gpus_for("cuda:2", both).empty());
  CHECK(gpus_for("auto", {}).empty());
}

TEST_CASE("workers go to the GPUs in turn, and a dead one's place is taken again", "[executor][gpu]") {
  GpuSlots slots({"0", "1"}, 0.5);
  REQUIRE(slots.workers() == 4);
  Names given;
  for (int worker = 0; worker < 4; ++worker) given.push_back(slots.acquire(worker));
  CHECK(given == Names{"0", "1", "0", "1"});
  CHECK(slots.workers() == 0);
  slots.give_back(1);
  slots.give_back(1);
  CHECK(slots.workers() == 1);
  CHECK(slots.acquire(4) == "1");
}

TEST_CASE("a worker may have several GPUs, which no other one has", "[executor][gpu]") {
  GpuSlots slots({"0", "1", "2", "3", "4"}, 1, 2);
  REQUIRE(slots.workers() == 2);
  CHECK(slots.acquire(7) == "0,1");
  CHECK(slots.acquire(8) == "2,3");
  CHECK(slots.workers() == 0);
  slots.give_back(7);
  CHECK(slots.workers() == 1);
  CHECK(slots.acquire(9) == "0,1");
}

TEST_CASE("a GPU has as many places as its shares fit in it", "[executor][gpu]") {
  const auto [share, places] = GENERATE(
      table<double, int>({{1.0, 1}, {0.6, 1}, {0.5, 2}, {0.34, 2}, {1.0 / 3, 3}, {0.25, 4}, {0.2, 5}, {0.1, 10}}));
  CHECK(GpuSlots({"0"}, share).workers() == places);
}

}  // namespace gpu_slots_test
