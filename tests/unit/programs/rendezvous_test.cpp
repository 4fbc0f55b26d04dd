// SPDX-License-Identifier: Apache-2.0
#include "programs/rendezvous.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "trial/own_variables.hpp"
#include "util/error.hpp"

namespace rendezvous_test {

using namespace dlrun;
using namespace dlrun::programs;

TEST_CASE("every variable of a group is known, so that a trial cannot set it", "[programs][group]") {
  const auto all = variables_of({.address = "10.0.0.1", .port = 7000, .gpus = 4, .rank = 1, .nodes = 2});
  for (const auto& [name, value] : all)
    CHECK(std::count(trial::kGroupVariables.begin(), trial::kGroupVariables.end(), name) == 1);
  CHECK(all.size() == trial::kGroupVariables.size());
  CHECK(all.at("PET_NODE_RANK") == "1");
  CHECK(variables_of({.port = 7000}).contains("RANK") == false);
}

TEST_CASE("a program gets the first of the GPUs that it may see", "[programs][gpu]") {
  CHECK(gpus_of_program(2, {"4", "7", "8"}) == "4,7");
  CHECK_THROWS_WITH(gpus_of_program(2, {"4"}), "a program needs 2 GPUs (resources.gpus), but its host shows 1");
}

TEST_CASE("a port that was taken is told from other faults", "[programs][group]") {
  CHECK(is_port_fault("OSError: [Errno 98] Address already in use"));
  CHECK(is_port_fault("RuntimeError: ... failed to bind ... (errno: 98 - EADDRINUSE)"));
  CHECK(!is_port_fault("KeyError: 'lr'"));
}

}  // namespace rendezvous_test
