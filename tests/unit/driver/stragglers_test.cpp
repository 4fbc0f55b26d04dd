// SPDX-License-Identifier: Apache-2.0
#include "driver/stragglers.hpp"

#include "support/catch.hpp"

namespace stragglers_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

study::StartPiece piece(std::int64_t trial, std::int64_t epochs = 1, int attempt = 1) {
  return {{{trial::TrialId(trial)}, 0}, attempt, 0, epochs, ""};
}

executor::AttemptKey name(const study::StartPiece& p) { return {p.key, p.attempt}; }

/// Pieces of a second an epoch, whatever their ticks say, beside what a test begins.
struct Fixture {
  Stragglers stragglers{spec::Speculation{.factor = 2, .after = 3}};
  Stragglers::Clock::time_point start;
  std::int64_t next = 100;

  void begin(const study::StartPiece& p, study::Tick ticks = 1000) { stragglers.begin(p, ticks, start); }
  void finish(const study::StartPiece& p, double seconds, trial::Outcome outcome = trial::Outcome::completed) {
    trial::PieceResult result{.key = p.key, .attempt = p.attempt, .outcome = outcome};
    result.seconds = seconds;
    stragglers.finish(result);
  }
  void pass(int count, double seconds, std::int64_t epochs = 1, study::Tick ticks = 1000) {
    for (int i = 0; i < count; ++i) {
      const auto p = piece(next++, epochs);
      begin(p, ticks);
      finish(p, seconds);
    }
  }
  std::optional<Stragglers::Late> worst(double seconds, const std::vector<std::int64_t>& not_these = {}) const {
    const auto passed = std::chrono::duration_cast<Stragglers::Clock::duration>(std::chrono::duration<double>(seconds));
    return stragglers.worst(start + passed, [&](const executor::AttemptKey& attempt) {
      return std::count(not_these.begin(), not_these.end(), attempt.piece.member.trial.value) == 0;
    });
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a piece is late that takes longer than others by the factor", "[driver][stragglers]") {
  pass(3, 2);
  begin(piece(0));
  CHECK_FALSE(worst(4));
  REQUIRE(worst(4.5));
  CHECK(worst(4.5)->attempt == name(piece(0)));
  CHECK(worst(4.5)->seconds == Approx(4.5));
  CHECK(worst(4.5)->expected == Approx(2));
  CHECK_FALSE(worst(4.5, {0}));
  finish(piece(0), 5);
  CHECK_FALSE(worst(100));
}

TEST_CASE_METHOD(Fixture, "nothing is late before some have finished, or that has just begun", "[driver][stragglers]") {
  begin(piece(0));
  pass(2, 0.01);
  CHECK_FALSE(worst(100));
  pass(1, 0.01);
  CHECK_FALSE(worst(2.9));
  CHECK(worst(3.1));
  stragglers.forget(name(piece(0)));
  CHECK_FALSE(worst(3.1));
}

TEST_CASE_METHOD(Fixture, "the one that is latest by its own measure is named", "[driver][stragglers]") {
  pass(3, 2);
  pass(3, 20, 10, 10000);
  begin(piece(0, 10), 10000);
  begin(piece(1));
  CHECK(worst(50)->attempt == name(piece(1)));
  CHECK(worst(50, {1})->attempt == name(piece(0)));
  CHECK_FALSE(worst(39, {1}));
}

TEST_CASE_METHOD(Fixture, "others are scaled where none has as many epochs", "[driver][stragglers]") {
  pass(3, 2);
  begin(piece(0, 5), 5000);
  CHECK(worst(21)->expected == Approx(10));
  CHECK_FALSE(worst(19));
}

TEST_CASE_METHOD(Fixture, "of epochs and ticks the one counts that expects more", "[driver][stragglers]") {
  pass(3, 2);
  begin(piece(0), 100);   // less work than others
  begin(piece(1), 4000);  // more
  CHECK(worst(17)->attempt == name(piece(0)));
  CHECK(worst(17, {0})->expected == Approx(8));
}

TEST_CASE_METHOD(Fixture, "attempts that did less than the piece teach nothing", "[driver][stragglers]") {
  begin(piece(1, 1, 2));
  finish(piece(1, 1, 2), 0.1);  // it may have gone on from the first one's checkpoint
  begin(piece(2));
  finish(piece(2), 0.1, trial::Outcome::early);
  begin(piece(3));
  finish(piece(3), 0.1, trial::Outcome::failed);
  finish(piece(4), 0.1);  // never begun here
  pass(2, 1);
  begin(piece(0));
  CHECK_FALSE(worst(100));
}

TEST_CASE_METHOD(Fixture, "pieces of a run before teach as those of this one", "[driver][stragglers]") {
  for (int i = 0; i < 3; ++i) stragglers.learn(piece(i), 1000, 2);
  begin(piece(9));
  CHECK_FALSE(worst(4));
  CHECK(worst(4.5)->expected == Approx(2));
}

}  // namespace stragglers_test
