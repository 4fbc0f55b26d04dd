// SPDX-License-Identifier: Apache-2.0
#include "driver/gpu_budget.hpp"

#include "support/catch.hpp"

namespace gpu_budget_test {

using namespace dlrun::driver;

TEST_CASE("hours of GPUs are counted by busy workers and their share", "[driver][gpu]") {
  GpuBudget budget(0.5, 0.25, 3600);  // an earlier run took a quarter of an hour
  budget.spend(900, 0);               // nobody was busy
  budget.spend(899, 4);               // four quarters of a GPU: not yet another quarter of an hour
  CHECK_FALSE(budget.is_spent());
  budget.spend(2, 4);
  CHECK(budget.is_spent());
}

TEST_CASE("without a limit, or without a GPU, nothing is spent", "[driver][gpu]") {
  GpuBudget unlimited(std::nullopt, 1, 1e9), without(1.0, 0, 1e9);
  unlimited.spend(1e9, 8);
  without.spend(1e9, 8);
  CHECK_FALSE(unlimited.is_spent());
  CHECK_FALSE(without.is_spent());
}

}  // namespace gpu_budget_test
