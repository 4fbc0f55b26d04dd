// SPDX-License-Identifier: Apache-2.0
// Trials of several members: replicates and folds.
#include "helpers.hpp"
#include "study/interval.hpp"
#include "study/objective.hpp"

namespace members_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

Rules of_members(int lanes, std::int64_t trials, trial::Members members) {
  Rules r = rules(lanes, trials);
  r.members = members;
  return r;
}

/// loss = x + replicate + 10 x fold at every epoch.
PieceResult member_result(const Study& study, const StartPiece& start) {
  PieceResult r = result_of(study, start);
  const double x = std::get<double>(study.trial(start.key.member.trial).values[0]);
  const double loss = x + start.key.member.replicate + 10.0 * start.key.member.fold;
  for (auto& report : r.reports) report.metrics[0].value = loss;
  r.artifacts[0].sha256 = std::string(64, char('a' + start.key.member.replicate));
  return r;
}

void play(Player& player) {
  player.decide();
  while (!player.queue.empty()) {
    const StartPiece start = player.pop();
    if (player.study.is_current(start.key, start.attempt)) {
      player.absorb(PieceEnded{member_result(player.study, start)});
    }
    player.decide();
  }
}

}  // namespace

TEST_CASE("the interval of a mean is Student's", "[study][members]") {
  // 1, 2, 3, 4: mean 2.5, s^2 = 5/3, error = sqrt(5/12), t(3, 0.975) = 3.182446
  const auto found = study::interval({1, 2, 3, 4});
  REQUIRE(found);
  CHECK(found->n == 4);
  CHECK(found->standard_error == Approx(0.6454972));
  CHECK(found->low == Approx(2.5 - 3.1824463 * 0.6454972));
  CHECK(found->high == Approx(2.5 + 3.1824463 * 0.6454972));
  CHECK_FALSE(study::interval({1}));
}

TEST_CASE("a curve is the mean of its members", "[study][members]") {
  const study::Curve all = study::mean_curve({{{1, 2.0}, {2, 1.0}}, {{1, 4.0}}});
  CHECK(all == study::Curve{{1, 3.0}, {2, 2.5}});  // the second ended early and stands in with 4
}

TEST_CASE("a trial's objective is the mean of its members", "[study][members]") {
  Study study = make(of_members(3, 2, {2, 3}));
  Player player(study);
  play(player);
  REQUIRE(study.is_finished());
  for (int i = 0; i < 2; ++i) {
    const TrialView view = study.trial(TrialId(i));
    CHECK(view.state == TrialState::completed);
    CHECK(*view.objective == Approx(std::get<double>(view.values[0]) + 0.5 + 10));
    REQUIRE(view.interval);
    CHECK(view.interval->n == 6);
    CHECK(view.attempts == 6);
  }
  CHECK(all<MemberMeasured>({{}, {}, player.effects}).size() == 12);
}

TEST_CASE("members of a trial come before new trials, a lane each", "[study][members]") {
  Study study = make(of_members(4, 9, {3, 1}));
  Player player(study);
  player.decide();
  REQUIRE(player.queue.size() == 8);  // a lane each, and another before the first must be visible
  for (int m = 0; m < 3; ++m) CHECK(player.queue[std::size_t(m)].key.member == trial::Member{TrialId(0), m, 0});
  CHECK(player.queue[3].key.member == trial::Member{TrialId(1), 0, 0});
  CHECK(player.decisions[1].find("replicate 1 of 3") != std::string::npos);
}

TEST_CASE("all members of a trial are promoted, each from its own checkpoint", "[study][members]") {
  Study study = make(of_members(2, 3, {2, 1}), asha(3));
  Player player(study);
  play(player);
  REQUIRE(study.is_finished());
  std::vector<std::string> resumed;
  for (const auto& start : all<StartPiece>({{}, {}, player.effects})) {
    if (start.from_step == 1) resumed.push_back(start.resume.substr(0, 1));
  }
  CHECK(resumed == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a trial fails where one of its members does", "[study][members]") {
  Study study = make(of_members(1, 1, {3, 1}));
  Player player(study);
  player.decide();
  player.absorb(PieceEnded{failure_of(player.pop(), Cause::nan)});
  player.decide();
  SECTION("members decided before the failure is visible run to their end, the others do not come") {
    play(player);
    CHECK(study.is_finished());
    CHECK(study.trial(TrialId(0)).state == TrialState::failed);
    CHECK(study.trial(TrialId(0)).cause == Cause::nan);
    CHECK_FALSE(study.trial(TrialId(0)).objective);
    CHECK(study.trial(TrialId(0)).attempts == 2);  // slack: one more was decided before
  }
  SECTION("asked to try again, what is missing runs") {
    play(player);
    player.absorb(RetryAsked{TrialId(0)});
    play(player);
    CHECK(study.trial(TrialId(0)).state == TrialState::completed);
    CHECK(study.trial(TrialId(0)).interval->n == 3);
    CHECK(study.trial(TrialId(0)).attempts == 4);
  }
}

TEST_CASE("a member that is lost is tried again by itself", "[study][members]") {
  Rules r = of_members(2, 1, {2, 1});
  r.retries = {{Cause::worker_lost, 1}};
  Study study = make(r);
  Player player(study);
  player.decide();
  for (int i = 0; i < 2; ++i) {
    const StartPiece start = player.pop();
    player.absorb(AttemptLost{start.key, start.attempt, Cause::worker_lost, "", ""});
  }
  play(player);
  CHECK(study.trial(TrialId(0)).state == TrialState::completed);
}

TEST_CASE("a cancelled trial gives up all members", "[study][members]") {
  Study study = make(of_members(2, 2, {4, 1}));
  Player player(study);
  player.decide();
  CHECK(all<AbandonPiece>(player.absorb(CancelAsked{TrialId(0)})).size() == 4);
  player.queue.clear();
  play(player);
  CHECK(study.is_finished());
  CHECK(study.trial(TrialId(0)).state == TrialState::cancelled);
  CHECK(study.trial(TrialId(1)).state == TrialState::completed);
}

TEST_CASE("a limit of epochs counts every member, and no trial is cut", "[study][members]") {
  Rules r = of_members(8, 10, {3, 1});
  r.limits.epochs = 8;
  Study study = make(r);
  Player player(study);
  play(player);
  CHECK(study.trial_count() == 2);
  CHECK(study.trial(TrialId(1)).interval->n == 3);
}

TEST_CASE("every member of the best trial is tested", "[study][members]") {
  Rules r = of_members(2, 1, {2, 1});
  r.test_best = true;
  Study study = make(r);
  Player player(study);
  play(player);
  const auto first = all<MeasureTest>({{}, {}, player.effects});
  REQUIRE(first.size() == 1);
  CHECK(first[0].member.replicate == 0);
  const auto second = all<MeasureTest>(player.absorb(TestMeasured{{.key = {first[0].member, 0}, .attempt = 1}}));
  REQUIRE(second.size() == 1);
  CHECK(second[0].member.replicate == 1);
  CHECK(second[0].artifact == std::string(64, 'b'));
  player.absorb(TestMeasured{{.key = {second[0].member, 0}, .attempt = 2}});
  CHECK(study.is_finished());
}

}  // namespace members_test
