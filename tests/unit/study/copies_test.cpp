// SPDX-License-Identifier: Apache-2.0
// Two attempts at once: a piece that is far behind is begun a second time, and whichever is home first counts.
#include "helpers.hpp"

namespace copies_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

/// A study of one trial, whose first piece runs twice.
struct Copied {
  Study study;
  Player player{study};
  StartPiece first, copy;

  explicit Copied(const Retries& retries = {})
      : study(make([&] {
          Rules r = rules(1, 1);
          r.retries = retries;
          return r;
        }())) {
    player.decide();
    first = player.pop();
    player.absorb(AttemptCopied{first.key, 1});
    copy = player.pop();
  }
  Output lose(int attempt, Cause cause = Cause::worker_lost) {
    return player.absorb(AttemptLost{first.key, attempt, cause, "gone", ""});
  }
  bool runs(int attempt) const { return study.is_current(first.key, attempt); }
};

}  // namespace

TEST_CASE("a copy is the next attempt at the same piece", "[study][copies]") {
  Copied c;
  CHECK(c.copy.key == c.first.key);
  CHECK(c.copy.attempt == 2);
  CHECK(c.copy.copy_of == 1);
  CHECK(std::pair(c.copy.from_step, c.copy.to_step) == std::pair(c.first.from_step, c.first.to_step));
  CHECK(c.runs(1));
  CHECK(c.runs(2));
  CHECK_FALSE(c.study.may_be_copied(c.first.key, 1));
  CHECK_FALSE(c.study.may_be_copied(c.first.key, 2));
  c.player.absorb(AttemptCopied{c.first.key, 1});
  CHECK(c.player.queue.empty());
  CHECK(c.study.trial(TrialId(0)).attempts == 2);
}

TEST_CASE("whichever is home first counts, and the other is given up", "[study][copies]") {
  Copied c;
  const bool is_copy = GENERATE(false, true);
  const StartPiece& winner = is_copy ? c.copy : c.first;
  const int loser = is_copy ? 1 : 2;
  const Output out = c.player.absorb(PieceEnded{result_of(c.study, winner)});
  REQUIRE(out.events.size() == 1);
  const auto& lost = std::get<AttemptLost>(out.events[0]);
  CHECK(lost.attempt == loser);
  CHECK(lost.cause == Cause::overtaken);
  REQUIRE(all<AbandonPiece>(out).size() == 1);
  CHECK(all<AbandonPiece>(out)[0].attempt == loser);
  CHECK_FALSE(c.runs(1));
  CHECK_FALSE(c.runs(2));
  CHECK(c.player.absorb(PieceEnded{result_of(c.study, is_copy ? c.first : c.copy)}).effects.empty());
  c.player.decide();
  CHECK(c.study.is_finished());
  CHECK(c.study.trial(TrialId(0)).state == TrialState::completed);
}

TEST_CASE("while two run, the end of one is no failure", "[study][copies]") {
  Copied c;
  SECTION("the copy is lost") {
    CHECK(c.lose(2).effects.empty());
    CHECK(c.runs(1));
    CHECK_FALSE(c.runs(2));
    CHECK_FALSE(c.study.may_be_copied(c.first.key, 1));  // once is enough
    c.player.absorb(PieceEnded{result_of(c.study, c.first)});
  }
  SECTION("the first one is lost") {
    CHECK(c.lose(1).effects.empty());
    CHECK(c.runs(2));
    CHECK_FALSE(c.runs(1));
    CHECK_FALSE(c.study.may_be_copied(c.first.key, 2));
    c.player.absorb(PieceEnded{result_of(c.study, c.copy)});
  }
  SECTION("one fails") {
    CHECK(c.player.absorb(PieceEnded{failure_of(c.first, Cause::exception)}).effects.empty());
    c.player.absorb(PieceEnded{result_of(c.study, c.copy)});
  }
  CHECK(c.study.trial(TrialId(0)).state == TrialState::completed);
}

TEST_CASE("the failure of the last of two counts", "[study][copies]") {
  SECTION("and is repeated under a new number, that may be copied") {
    Copied c({{Cause::worker_lost, 1}});
    const bool is_copy_last = GENERATE(false, true);
    c.lose(is_copy_last ? 1 : 2);
    c.lose(is_copy_last ? 2 : 1);
    CHECK(c.player.pop().attempt == 3);
    CHECK(c.study.may_be_copied(c.first.key, 3));
    c.lose(3);
    CHECK(c.study.trial(TrialId(0)).state == TrialState::failed);
  }
  SECTION("or ends the trial") {
    Copied c;
    c.lose(1, Cause::timeout);
    c.lose(2, Cause::nan);
    CHECK(c.study.trial(TrialId(0)).state == TrialState::failed);
    CHECK(c.study.trial(TrialId(0)).cause == Cause::nan);
  }
}

TEST_CASE("who is cancelled is abandoned twice", "[study][copies]") {
  Copied c;
  CHECK(all<AbandonPiece>(c.player.absorb(CancelAsked{TrialId(0)})).size() == 2);
  CHECK_FALSE(c.runs(1));
  CHECK_FALSE(c.runs(2));
}

TEST_CASE("a driver that ends with two running begins a third one", "[study][copies]") {
  Copied c;
  Study again = make(rules(1, 1));
  for (const auto& row : c.player.log) {
    if (const auto* event = std::get_if<Event>(&row)) again.absorb(*event);
    if (const auto* decision = std::get_if<Decision>(&row)) again.apply(*decision);
  }
  const Output out = again.resume_work();
  REQUIRE(out.events.size() == 2);
  CHECK(std::get<AttemptLost>(out.events[0]).attempt == 1);
  CHECK(std::get<AttemptLost>(out.events[1]).attempt == 2);
  REQUIRE(all<StartPiece>(out).size() == 1);
  CHECK(all<StartPiece>(out)[0].attempt == 3);
  CHECK(all<StartPiece>(out)[0].copy_of == 0);
}

}  // namespace copies_test
