// SPDX-License-Identifier: Apache-2.0
#include "driver/adoption.hpp"

#include "support/catch.hpp"

namespace adoption_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

study::StartPiece piece(std::int64_t trial, int attempt = 1) {
  return {{{trial::TrialId(trial)}, 0}, attempt, 0, 1, ""};
}

executor::AttemptKey name(const study::StartPiece& p) { return {p.key, p.attempt}; }

const Adoption::Clock::time_point kStart{};

}  // namespace

TEST_CASE("an attempt goes to the first worker that holds it", "[driver][adoption]") {
  Adoption adoption;
  adoption.wait_for({piece(3), piece(1, 2)}, kStart);
  CHECK(adoption.waiting() == 2);
  CHECK_FALSE(adoption.claim(name(piece(1))));  // an earlier one of its piece
  CHECK_FALSE(adoption.claim(name(piece(2))));
  CHECK(adoption.claim(name(piece(1, 2)))->key == piece(1).key);
  CHECK_FALSE(adoption.claim(name(piece(1, 2))));  // a second worker
  CHECK(adoption.waiting() == 1);
}

TEST_CASE("nobody is waited for longer than ten seconds", "[driver][adoption]") {
  Adoption adoption;
  adoption.wait_for({piece(3), piece(1, 2), piece(2), piece(4)}, kStart);
  REQUIRE(adoption.claim(name(piece(2))));
  adoption.forget(name(piece(4)));  // its trial was cancelled
  CHECK(adoption.overdue(kStart + std::chrono::milliseconds(9999)).empty());
  const auto lost = adoption.overdue(kStart + std::chrono::seconds(10));
  REQUIRE(lost.size() == 2);
  CHECK(lost[0].key == piece(3).key);  // decided first
  CHECK(lost[1].key == piece(1).key);
  CHECK(lost[1].attempt == 2);
  CHECK(lost[0].cause == trial::Cause::driver_lost);
  CHECK(lost[0].message == "its driver ended, and its worker did not come back within 10 s");
  CHECK(adoption.waiting() == 0);
  CHECK_FALSE(adoption.claim(name(piece(3))));  // it comes too late
  CHECK(adoption.overdue(kStart + std::chrono::seconds(20)).empty());
}

}  // namespace adoption_test
