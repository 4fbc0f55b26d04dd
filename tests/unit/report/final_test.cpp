// SPDX-License-Identifier: Apache-2.0
// Epochs to a target, by a running median of three.
#include "report/final_runs.hpp"
#include "support/catch.hpp"

using namespace dlrun::report;

TEST_CASE("a single lucky epoch does not reach a target", "[report][final]") {
  CHECK(epochs_to({0.5, 0.9, 0.6, 0.9, 0.9}, 0.8, true) == std::pair<std::int64_t, bool>{4, true});
  CHECK(epochs_to({0.9, 0.5}, 0.8, true) == std::pair<std::int64_t, bool>{1, true});
  CHECK(epochs_to({0.5, 0.9}, 0.8, true) == std::pair<std::int64_t, bool>{2, false});  // of two the worse
}

TEST_CASE("a target that is never reached counts with all epochs", "[report][final]") {
  CHECK(epochs_to({0.1, 0.2, 0.3}, 0.8, true) == std::pair<std::int64_t, bool>{3, false});
  CHECK(epochs_to({}, 0.8, true) == std::pair<std::int64_t, bool>{0, false});
}

TEST_CASE("what is minimised reaches a target from above", "[report][final]") {
  CHECK(epochs_to({0.9, 0.4, 0.6, 0.4, 0.3}, 0.5, false) == std::pair<std::int64_t, bool>{4, true});
  CHECK(epochs_to({0.4, 0.9}, 0.5, false).second);
}
