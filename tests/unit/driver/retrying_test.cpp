// SPDX-License-Identifier: Apache-2.0
// How long lost pieces wait, and which run alone.
#include "driver/retrying.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace retrying_test {

using namespace dlrun;
using namespace dlrun::driver;
using std::chrono::seconds;
using support::piece_of;

namespace {

struct Fixture {
  const spec::RetryDelay delay{.first = 4, .most = 60};
  Blame blame;
  Crowded crowded;
  support::StillClock clock;
  Retrying retrying{{delay, blame, crowded, clock}};

  Fixture() { blame.worker_ready(1, "node01"); }
  study::Event lost(trial::Cause cause) {
    blame.lost(1, piece_of(0), cause, clock.now());
    return study::AttemptLost{piece_of(0), 1, cause, "", ""};
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a piece waits longer after each loss", "[driver][retry]") {
  CHECK(retrying.wait_after(lost(trial::Cause::worker_lost)) == seconds(0));
  CHECK(retrying.wait_after(lost(trial::Cause::worker_lost)) == seconds(4));
  CHECK(retrying.wait_after(lost(trial::Cause::worker_lost)) == seconds(8));
}

TEST_CASE_METHOD(Fixture, "results that failed wait like losses, others start nothing later", "[driver][retry]") {
  std::ignore = lost(trial::Cause::exception);
  const trial::PieceResult failed = support::Around::failed(0, trial::Cause::exception, "no such file");
  CHECK(retrying.wait_after(study::PieceEnded{failed}) == seconds(4));
  CHECK(retrying.wait_after(study::TestMeasured{failed}) == seconds(4));
  CHECK(retrying.wait_after(study::PieceEnded{support::Around::measured(0, 1)}) == seconds(0));
  CHECK(retrying.wait_after(study::StopAsked{"enough"}) == seconds(0));
}

TEST_CASE_METHOD(Fixture, "work leaves when its wait is over, alone where it ran out of memory", "[driver][retry]") {
  const Work work{{piece_of(0), 2, 0, 1, ""}};
  CHECK(retrying.as_known(work).not_before == Clock::time_point());
  CHECK(retrying.as_known(work, seconds(4)).not_before == clock.now() + seconds(4));
  CHECK(retrying.as_known(work).alone_on.empty());
  crowded.remember(piece_of(0), "node01");
  CHECK(retrying.as_known(work).alone_on == "node01");
}

}  // namespace retrying_test
