// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "helpers.hpp"
#include "util/error.hpp"

namespace study_test {

using namespace dlrun;
using namespace dlrun::test;

TEST_CASE("a study of two lanes decides at logical times and then ends", "[study][clock]") {
  Study study = make(rules(2, 3));
  Player player(study);
  player.run();
  std::vector<std::string> shapes;
  for (const std::string& d : player.decisions) shapes.push_back(d.substr(0, d.find(" 0.", d.find(".") + 1)));
  CHECK(shapes == std::vector<std::string>{"0 start lane 0 at 0 to 1000 trial 0.0",
                                           "1 start lane 1 at 0 to 1000 trial 1.0",
                                           "2 start lane 0 at 1000 to 2000 trial 2.0",  // sees nothing: L is 500
                                           "3 idle lane 1 at 1000 to 1500 (limit of 3 trials)",
                                           "4 idle lane 1 at 1500 to 2500 (limit of 3 trials)",
                                           "6 finish lane 0 at 2500 to 0 (limit of 3 trials)"});
  CHECK(study.is_finished());
  CHECK(study.finish_reason() == "limit of 3 trials");
  CHECK(all<Finished>({{}, {}, player.effects}).size() == 1);
  for (const auto& [id, row] : player.rows) CHECK(row.state == TrialState::completed);
}

TEST_CASE("lanes idle until the same result share a decision, and a log with one for each is followed too",
          "[study][clock][replay]") {
  Study study = make(rules(2, 3));
  Player player(study);
  player.run();
  Study again = make(rules(2, 3));
  int shared = 0;
  for (const auto& row : player.log) {
    if (const auto* event = std::get_if<Event>(&row)) (void)again.absorb(*event);
    const auto* decision = std::get_if<Decision>(&row);
    if (!decision) continue;
    if (decision->lanes == 1) {
      again.apply(*decision);
      continue;
    }
    // Decision 4: lane 1 at 1500, and lane 0, which falls free at 2000, both until 2500.
    ++shared;
    CHECK(decision->number == 4);
    CHECK(decision->lanes == 2);
    Decision first = *decision;
    first.lanes = 1;
    again.apply(first);
    Decision second = first;
    second.number = 5;
    second.lane = 0;
    second.at = 2000;
    again.apply(second);
  }
  CHECK(shared == 1);
  CHECK(again.is_finished());
  CHECK(again.finish_reason() == study.finish_reason());
  SECTION("a number of lanes that is not the clock's is refused") {
    Study other = make(rules(2, 3));
    const auto follow = [&] {
      for (const auto& row : player.log) {
        if (const auto* event = std::get_if<Event>(&row)) (void)other.absorb(*event);
        if (const auto* decision = std::get_if<Decision>(&row)) {
          Decision wrong = *decision;
          if (wrong.lanes == 2) wrong.lanes = 3;
          other.apply(wrong);
        }
      }
    };
    CHECK_THROWS_AS(follow(), Error);
  }
}

TEST_CASE("lanes that begin one after another leave fewer results hidden", "[study][clock]") {
  // Trials of 1000 ticks on four lanes, L = 250. Begun together, a decision sees nothing of the round that ends as it
  // is taken: 3 to 7 trials are pending. Begun 250 ticks apart, the lane that ended one stride earlier is seen: 3 + 1.
  const auto pending_at_last = [](Tick stride) {
    Rules r = rules(4, 20);
    r.slack = 250;
    r.stride = stride;
    Study study = make(r);
    Player player(study);
    std::int64_t most = 0;
    while (!study.is_finished()) {
      player.decide();
      if (study.trial_count() == 20) break;
      most = std::max(most, study.pending());
      player.finish_one();
    }
    return most;
  };
  CHECK(pending_at_last(0) == 8);
  CHECK(pending_at_last(250) == 5);
}

TEST_CASE("lane i begins at i strides, and in order arrival at once", "[study][clock]") {
  Rules r = rules(3, 3);
  r.stride = 100;
  Study study = make(r);
  Player player(study);
  player.run();
  CHECK(player.decisions[1].starts_with("1 start lane 1 at 100 to 1100"));
  CHECK(player.decisions[2].starts_with("2 start lane 2 at 200 to 1200"));
  r.arrival = true;
  Study other = make(r);
  Player at_once(other);
  at_once.run();
  CHECK(at_once.decisions[2].starts_with("2 start lane 2 at 0"));
}

TEST_CASE("a decision waits for what it must see, and for nothing else", "[study][clock]") {
  Study study = make(rules(2, 10));
  Player player(study);
  player.decide();
  CHECK(player.queue.size() == 4);  // at 0 and at 1000; at 2000 what ended at 1000 is seen
  const StartPiece first = player.pop(), second = player.pop();
  player.absorb(PieceEnded{result_of(study, second)});
  player.decide();
  CHECK(player.queue.size() == 2);
  player.absorb(PieceEnded{result_of(study, first)});
  player.decide();
  CHECK(player.queue.size() == 4);
  CHECK(study.pending() == 4);
}

TEST_CASE("successive halving pauses, promotes and prunes", "[study][asha]") {
  Study study = make(rules(4, 27), asha(9));
  Player player(study);
  player.run();
  std::map<TrialState, int> states;
  std::map<std::int64_t, int> steps;
  for (const auto& [id, row] : player.rows) {
    ++states[row.state];
    ++steps[row.steps];
  }
  CHECK(states[TrialState::completed] >= 3);
  CHECK(states[TrialState::completed] + states[TrialState::pruned] == 27);
  CHECK(steps[1] + steps[3] + steps[9] == 27);
  CHECK(steps[3] + steps[9] >= 9);
  const auto best = study.trial(*study.best());
  CHECK(best.state == TrialState::completed);
  CHECK(best.steps == 9);
  for (int t = 0; t < 27; ++t) {
    const auto view = study.trial(TrialId(t));
    if (view.state == TrialState::completed) CHECK(*best.objective <= *view.objective);
  }
}

TEST_CASE("a continuation goes on from the artifact of its last piece", "[study][asha]") {
  Study study = make(rules(1, 3), asha(3));
  Player player(study);
  player.decide();
  while (player.queue.size() && player.queue.front().key.piece == 0) player.finish_one();
  REQUIRE(player.queue.size() == 1);
  CHECK(player.queue.front().resume == std::string(64, 'a'));
  CHECK(player.queue.front().from_step == 1);
  CHECK(player.queue.front().to_step == 3);
  CHECK(player.queue.front().attempt == 1);
}

TEST_CASE("a space that is used up ends the search and says so", "[study][end]") {
  const space::Space three({{.name = "n", .type = space::Type::integer, .low = 0, .high = 2}});
  Study study = make(rules(2, 100), {}, three, "grid");
  Player player(study);
  player.decide();
  while (!player.queue.empty()) {
    PieceResult r;
    const StartPiece start = player.pop();
    r.key = start.key;
    r.attempt = start.attempt;
    r.reports = {{1, {{"loss", 1}}}};
    player.absorb(PieceEnded{r});
    player.decide();
  }
  CHECK(study.is_finished());
  CHECK(study.trial_count() == 3);
  CHECK(study.finish_reason() == "all 3 points of the grid were tried");
}

TEST_CASE("a limit of epochs is never passed", "[study][end]") {
  Rules r = rules(3, 1000);
  r.limits.trials.reset();
  r.limits.epochs = 50;
  Study study = make(r, asha(9));
  Player player(study);
  player.run();
  std::int64_t epochs = 0;
  for (const auto& [id, row] : player.rows) epochs += row.steps;
  CHECK(study.is_finished());
  CHECK(epochs <= 50);
  CHECK(epochs >= 45);
  CHECK(study.finish_reason() == "limit of 50 epochs");
}

TEST_CASE("trials in a row without a better objective end the search", "[study][end]") {
  Rules r = rules(1, 100);
  r.slack = 0;
  r.limits.stall = 4;
  Study study = make(r);
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  // Each trial is told when it ends: the last four, and no four before them, were no better than the best before.
  double best = 0;
  std::int64_t since = 0;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const double loss = *study.trial(TrialId(i)).objective;
    CHECK(since < 4);
    since = i == 0 || loss < best ? 0 : since + 1;
    if (since == 0) best = loss;
  }
  CHECK(since == 4);
  CHECK(study.trial_count() < 100);
  CHECK(study.finish_reason() ==
        "no better objective than trial " + std::to_string(study.best()->value) + "'s in 4 trials");
}

TEST_CASE("where every trial fails a stall ends the search too", "[study][end]") {
  Rules r = rules(1, 100);
  r.limits.stall = 3;
  Study study = make(r);
  Player player(study);
  player.decide();
  while (!player.queue.empty()) {
    player.absorb(PieceEnded{failure_of(player.pop(), Cause::exception)});
    player.decide();
  }
  CHECK(study.is_finished());
  CHECK(study.trial_count() <= 4);
  CHECK(study.finish_reason() == "no objective in 3 trials");
}

TEST_CASE("a target met by a visible objective ends the search; the trial is complete", "[study][end]") {
  Rules r = rules(2, 1000);
  r.limits.target = 1.05;  // x + 1 at the first rung
  Study study = make(r, asha(9));
  Player player(study);
  player.run();
  CHECK(study.is_finished());
  CHECK_THAT(study.finish_reason(), Contains("met the target of 1.05"));
  CHECK(study.trial_count() < 1000);
  const auto best = study.trial(*study.best());
  CHECK(best.state == TrialState::completed);
  CHECK(*best.objective <= 1.05);
}

TEST_CASE("the objective is of the last epoch or of the best one", "[study][objective]") {
  const bool at_best = GENERATE(false, true);
  const bool maximize = GENERATE(false, true);
  Rules r = rules(1, 1);
  r.objective = {"acc", maximize, at_best};
  r.epochs = 4;
  Study study = make(r);
  Player player(study);
  player.decide();
  const StartPiece start = player.pop();
  PieceResult result{.key = start.key, .attempt = 1};
  const double values[] = {0.5, 0.9, 0.1, 0.4};
  for (int e = 1; e <= 4; ++e) result.reports.push_back({e, {{"loss", -1}, {"acc", values[e - 1]}}});
  player.absorb(PieceEnded{result});
  CHECK(player.rows[TrialId(0)].objective == (at_best ? (maximize ? 0.9 : 0.1) : 0.4));
  CHECK(player.rows[TrialId(0)].objective_step == (at_best ? (maximize ? 2 : 3) : 4));
}

TEST_CASE("a trial whose objective is missing or not finite has failed", "[study][failure]") {
  Study study = make(rules(1, 1));
  Player player(study);
  player.decide();
  const StartPiece start = player.pop();
  PieceResult result = result_of(study, start);
  SECTION("nan") {
    result.reports[0].metrics[0].value = std::numeric_limits<double>::quiet_NaN();
    player.absorb(PieceEnded{result});
    CHECK(player.rows[TrialId(0)].cause == Cause::nan);
    CHECK(player.rows[TrialId(0)].message == "'loss' is nan at epoch 1");
  }
  SECTION("infinite") {
    result.reports[0].metrics[0].value = -std::numeric_limits<double>::infinity();
    player.absorb(PieceEnded{result});
    CHECK(player.rows[TrialId(0)].cause == Cause::nan);
  }
  SECTION("missing") {
    result.reports[0].metrics[0].name = "accuracy";
    player.absorb(PieceEnded{result});
    CHECK(player.rows[TrialId(0)].cause == Cause::exception);
    CHECK(player.rows[TrialId(0)].message == "no value of 'loss' was reported");
  }
  CHECK(player.rows[TrialId(0)].state == TrialState::failed);
  player.run();
  CHECK(study.is_finished());
  CHECK_FALSE(study.best());
}

TEST_CASE("failures are tried again by cause", "[study][failure]") {
  Rules r = rules(1, 1);
  r.retries = {{Cause::worker_lost, 3}, {Cause::signal, 1}, {Cause::exception, 5}};
  Study study = make(r);
  Player player(study);
  player.decide();
  const auto lose = [&](Cause cause) {
    const StartPiece start = player.pop();
    player.absorb(AttemptLost{start.key, start.attempt, cause, "gone", ""});
    return start.attempt;
  };
  SECTION("a lost worker counts only itself, up to its limit") {
    for (int i = 1; i <= 3; ++i) CHECK(lose(Cause::worker_lost) == i);
    CHECK(lose(Cause::signal) == 4);
    CHECK(lose(Cause::worker_lost) == 5);
    CHECK(player.queue.empty());
    CHECK(player.rows[TrialId(0)].state == TrialState::failed);
    CHECK(player.rows[TrialId(0)].cause == Cause::worker_lost);
    CHECK(study.trial(TrialId(0)).attempts == 5);
  }
  SECTION("the same exception twice is the trial's fault, whatever the limit") {
    lose(Cause::exception);
    CHECK(player.queue.size() == 1);
    lose(Cause::exception);
    CHECK(player.queue.empty());
    CHECK(player.rows[TrialId(0)].cause == Cause::exception);
  }
  SECTION("what is not named is not repeated") {
    lose(Cause::oom);
    CHECK(player.rows[TrialId(0)].cause == Cause::oom);
  }
  SECTION("a lost driver costs nothing, nor does a worker that had to leave") {
    for (int i = 0; i < 50; ++i) lose(i % 2 == 0 ? Cause::driver_lost : Cause::preempted);
    CHECK(player.queue.size() == 1);
  }
}

TEST_CASE("stale and repeated results change nothing", "[study][fencing]") {
  Rules r = rules(2, 4);
  r.retries = {{Cause::worker_lost, 1}};
  Study study = make(r);
  Player player(study);
  player.decide();
  const StartPiece first = player.pop();
  player.absorb(AttemptLost{first.key, 1, Cause::worker_lost, "", ""});
  CHECK_FALSE(study.is_current(first.key, 1));
  CHECK(study.is_current(first.key, 2));
  CHECK(study.absorb(PieceEnded{result_of(study, first)}).effects.empty());
  StartPiece again = first;
  again.attempt = 2;
  CHECK(study.absorb(PieceEnded{result_of(study, again)}).effects.size() == 1);
  CHECK_FALSE(study.is_current(first.key, 2));
  CHECK(study.absorb(PieceEnded{result_of(study, again)}).effects.empty());
  CHECK(study.absorb(PieceEnded{result_of(study, first)}).effects.empty());  // the same measured: no divergence
  PieceResult other = result_of(study, first);
  other.reports[0].metrics[0].value += 1;
  const Output out = study.absorb(PieceEnded{other});
  REQUIRE(all<Diverged>(out).size() == 1);
  CHECK(all<Diverged>(out)[0].attempt == 1);
  CHECK(study.trial(first.key.member.trial).objective != other.reports[0].metrics[0].value);
  CHECK(study.absorb(PieceEnded{PieceResult{.key = {{TrialId(99)}, 0}, .attempt = 1}}).effects.empty());
}

TEST_CASE("a stopped study finishes what is decided, and goes on when asked", "[study][stop]") {
  Study study = make(rules(2, 6)), undisturbed = make(rules(2, 6));
  Player player(study), other(undisturbed);
  player.decide();
  player.absorb(StopAsked{"a person"});
  CHECK(study.is_stopped());
  while (player.finish_one()) {
  }
  CHECK(study.pending() == 0);
  CHECK_FALSE(study.is_finished());
  CHECK(study.trial_count() < 6);
  player.absorb(Resumed{});
  player.run();
  other.run();
  CHECK(study.is_finished());
  CHECK(player.decisions == other.decisions);
}

TEST_CASE("a cancelled trial is abandoned and never goes on", "[study][cancel]") {
  Study study = make(rules(2, 9), asha(3));
  Player player(study);
  player.decide();
  const StartPiece first = player.pop();
  const Output out = player.absorb(CancelAsked{first.key.member.trial});
  REQUIRE(all<AbandonPiece>(out).size() == 1);
  CHECK(player.rows[first.key.member.trial].state == TrialState::cancelled);
  CHECK_FALSE(study.is_current(first.key, 1));
  CHECK(player.absorb(CancelAsked{first.key.member.trial}).effects.empty());
  CHECK(player.absorb(CancelAsked{TrialId(77)}).effects.empty());
  player.run();
  CHECK(study.is_finished());
  CHECK(study.trial(first.key.member.trial).state == TrialState::cancelled);
  CHECK(study.trial(first.key.member.trial).steps == 0);
}

TEST_CASE("a failed trial is tried again when asked, also after the end", "[study][retry]") {
  Study study = make(rules(1, 3));
  Player player(study);
  player.decide();
  const StartPiece first = player.pop();
  player.absorb(PieceEnded{failure_of(first, Cause::exception)});
  CHECK(player.rows[TrialId(0)].state == TrialState::failed);
  player.run();
  CHECK(study.is_finished());
  player.absorb(RetryAsked{TrialId(1)});  // it did not fail: nothing happens
  CHECK(study.is_finished());
  player.absorb(RetryAsked{TrialId(0)});
  CHECK(player.rows[TrialId(0)].state == TrialState::waiting);
  CHECK_FALSE(study.is_finished());
  player.decide();
  REQUIRE(player.queue.size() == 1);
  CHECK(player.queue.front().key == first.key);
  CHECK(player.queue.front().attempt == 2);
  CHECK(player.rows[TrialId(0)].state == TrialState::running);
  while (player.finish_one()) {
  }
  CHECK(study.is_finished());
  CHECK(player.rows[TrialId(0)].state == TrialState::completed);
}

TEST_CASE("a person's retry forgets what failed before", "[study][retry]") {
  Rules r = rules(1, 1);
  r.retries = {{Cause::exception, 1}};
  Study study = make(r);
  Player player(study);
  player.decide();
  player.absorb(PieceEnded{failure_of(player.pop(), Cause::exception)});
  player.absorb(PieceEnded{failure_of(player.pop(), Cause::exception)});
  REQUIRE(player.rows[TrialId(0)].state == TrialState::failed);
  player.absorb(RetryAsked{TrialId(0)});
  player.decide();
  player.absorb(PieceEnded{failure_of(player.pop(), Cause::exception)});
  CHECK(player.rows[TrialId(0)].state == TrialState::running);  // one more attempt is allowed again
}

TEST_CASE("the test split is measured for the best trial before the study is over", "[study][test]") {
  Rules r = rules(2, 4);
  r.test_best = true;
  r.retries = {{Cause::worker_lost, 1}};
  Study study = make(r);
  Player player(study);
  player.run();
  CHECK_FALSE(study.is_finished());
  const auto asked = all<MeasureTest>({{}, {}, player.effects});
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].member.trial == study.best());
  CHECK(asked[0].artifact == std::string(64, 'a'));
  CHECK(all<MeasureTest>(study.resume_work()).size() == 1);
  PieceResult measured{.key = {{asked[0].member.trial}, 0}, .attempt = 1};
  SECTION("measured") {
    CHECK(all<Finished>(player.absorb(TestMeasured{measured})).size() == 1);
    CHECK(study.is_finished());
  }
  SECTION("lost, and asked again") {
    measured.outcome = Outcome::failed;
    measured.cause = Cause::worker_lost;
    CHECK(all<MeasureTest>(player.absorb(TestMeasured{measured})).size() == 1);
    CHECK_FALSE(study.is_finished());
    CHECK(all<Finished>(player.absorb(TestMeasured{measured})).size() == 1);
  }
  SECTION("of another trial") {
    measured.key.member.trial = TrialId((asked[0].member.trial.value + 1) % 4);
    CHECK(player.absorb(TestMeasured{measured}).effects.empty());
  }
}

TEST_CASE("a trial that ends early by itself is complete, and its lane stays held", "[study][early]") {
  Rules r = rules(1, 2);
  r.epochs = 5;
  Study study = make(r);
  Player player(study);
  player.decide();
  PieceResult result = result_of(study, player.pop());
  result.outcome = Outcome::early;
  result.reports.resize(2);
  player.absorb(PieceEnded{result});
  CHECK(player.rows[TrialId(0)].state == TrialState::completed);
  CHECK(player.rows[TrialId(0)].steps == 2);
  player.decide();
  CHECK_THAT(player.decisions[1], Contains("at 5000"));
}

TEST_CASE("a trial whose later piece measures nothing more before it ends keeps its objective", "[study][early]") {
  Rules r = rules(1, 3);
  r.epochs = 9;
  Study study = make(r, asha(9));
  Player player(study);
  player.decide();
  for (int pieces = 0; study.trial(TrialId(0)).steps < 3 && pieces < 9; ++pieces) {
    PieceResult result = result_of(study, player.pop());
    if (result.key.piece == 1) {
      result.outcome = Outcome::early;
      result.reports.clear();
      player.absorb(PieceEnded{result});
      const TrialId id = result.key.member.trial;
      CHECK(player.rows[id].state == TrialState::completed);
      CHECK(player.rows[id].steps == 1);
      CHECK(player.rows[id].objective.has_value());
      return;
    }
    player.absorb(PieceEnded{result});
    player.decide();
  }
  FAIL("no trial went on");
}

TEST_CASE("replay and resume give the study that never crashed", "[study][replay]") {
  const auto pruner = GENERATE(pruners::PrunerOptions{}, asha(9));
  Study undisturbed = make(rules(3, 12), pruner);
  Player all_of_it(undisturbed);
  all_of_it.run();
  for (std::size_t crash = 0; crash <= all_of_it.log.size(); ++crash) {
    Study study = make(rules(3, 12), pruner);
    Player player(study);
    for (std::size_t i = 0; i < crash; ++i) {
      const auto& row = all_of_it.log[i];
      player.log.push_back(row);
      if (const auto* e = std::get_if<Event>(&row)) study.absorb(*e);
      if (const auto* d = std::get_if<Decision>(&row)) {
        study.apply(*d);
        player.decisions.push_back(text(*d));
      }
    }
    const Output out = study.resume_work();
    CHECK(out.events.size() == all<StartPiece>(out).size());
    CHECK(std::int64_t(out.events.size()) == study.pending());
    for (const auto& start : all<StartPiece>(out)) CHECK(start.attempt == 2);
    player.record(out);
    player.run();
    REQUIRE(player.decisions == all_of_it.decisions);
    REQUIRE(study.is_finished());
    CHECK(study.best() == undisturbed.best());
  }
}

TEST_CASE("what may go on without its driver keeps its number, however many drivers die", "[study][replay]") {
  Study undisturbed = make(rules(3, 12), asha(9));
  Player all_of_it(undisturbed);
  all_of_it.run();
  Study first = make(rules(3, 12), asha(9));
  Player player(first);
  player.decide();
  for (int i = 0; i < 2; ++i) player.absorb(PieceEnded{result_of(first, player.pop())}), player.decide();
  const std::size_t under_way = player.queue.size();
  REQUIRE(under_way > 1);
  const auto key = player.queue.front().key;
  std::optional<Study> study;
  for (int driver = 0; driver < 2; ++driver) {
    study.emplace(make(rules(3, 12), asha(9)));
    for (const auto& row : player.log) {
      if (const auto* e = std::get_if<Event>(&row)) study->absorb(*e);
      if (const auto* d = std::get_if<Decision>(&row)) study->apply(*d);
    }
    const Output out = study->resume_work([&](const PieceKey& piece, int) { return piece == key; });
    REQUIRE(out.under_way.size() == 1);
    CHECK(out.under_way[0].key == key);
    CHECK(out.under_way[0].attempt == 1);
    CHECK(out.under_way[0].to_step == player.queue.front().to_step);
    CHECK(all<StartPiece>(out).size() == under_way - 1);
    CHECK(study->is_current(key, 1));
    CHECK(study->trial(key.member.trial).attempts == 1);
    for (const Event& event : out.events) player.log.emplace_back(event);
  }
  Player rest(*study);
  rest.decisions = player.decisions;
  const bool is_lost = GENERATE(false, true);
  rest.record(study->resume_work([&](const PieceKey& piece, int attempt) { return piece == key && attempt == 1; }));
  if (is_lost) {
    rest.absorb(AttemptLost{key, 1, Cause::driver_lost, "nobody came back", ""});
    CHECK_FALSE(study->is_current(key, 1));
  } else {
    rest.absorb(PieceEnded{result_of(*study, player.queue.front())});
  }
  rest.run();
  CHECK(study->is_finished());
  CHECK(rest.decisions == all_of_it.decisions);
}

TEST_CASE("a log that does not belong to the study is refused", "[study][replay]") {
  Study study = make(rules(2, 4));
  Player player(study);
  player.run();
  const auto refused = [&](auto change) {
    Study other = make(rules(2, 4));
    Decision d = std::get<Decision>(player.log[0]);
    change(d);
    CHECK_THROWS_AS(other.apply(d), Error);
  };
  refused([](Decision& d) { d.number = 5; });
  refused([](Decision& d) { d.lane = 1; });
  refused([](Decision& d) { d.at = 7; });
  refused([](Decision& d) { d.values = {2.0}; });
  refused([](Decision& d) { d.values.clear(); });
  refused([](Decision& d) { d.key.member.trial = TrialId(3); });
  refused([](Decision& d) { d.key.piece = 1; });
  refused([](Decision& d) { d.kind = DecisionKind::go_on, d.key.piece = 0; });
  refused([](Decision& d) { d.key.member.trial = TrialId(); });
}

TEST_CASE("in order of arrival a lane falls free when its piece ends", "[study][arrival]") {
  Rules r = rules(2, 6);
  r.arrival = true;
  Study study = make(r, asha(3));
  Player player(study);
  player.decide();
  CHECK(player.queue.size() == 2);
  player.finish_one();
  CHECK(player.queue.size() == 2);
  player.run();
  CHECK(study.is_finished());
  CHECK(study.trial_count() == 6);
  Study replayed = make(r, asha(3));
  for (const auto& row : player.log) {
    if (const auto* e = std::get_if<Event>(&row)) replayed.absorb(*e);
    if (const auto* d = std::get_if<Decision>(&row)) replayed.apply(*d);
  }
  CHECK(replayed.is_finished());
  CHECK(replayed.best() == study.best());
}

namespace {

/// Promises less with every trial that was started.
class Modest final : public samplers::Sampler {
 public:
  std::string_view name() const override { return "modest"; }
  void on_start(TrialId, const space::Values&) override { ++started_; }
  void on_result(const samplers::Observation&) override { ++seen_; }
  std::optional<space::Values> propose(std::int64_t number) override {
    return space::Values{static_cast<double>(number % 10) / 10};
  }
  std::optional<double> expected_improvement() const override {
    if (started_ < 2) return std::nullopt;
    return seen_ == 4 && started_ == 4 ? 1.0 : 1.0 / static_cast<double>(1 + started_);
  }

 private:
  int started_ = 0, seen_ = 0;
};

}  // namespace

TEST_CASE("a proposal that promises too little opens no trial, and with nothing pending the search is over",
          "[study][limits]") {
  // Two lanes: trials 0 and 1, for nothing is known; 2 and 3 promise 1/3 and 1/4; then 1/5 is too little and both lanes
  // stand idle. When results 2 and 3 are visible one more trial promises enough, and after it none.
  Rules r = rules(2, 100);
  r.limits.improvement = 0.25;
  Study study(r, line(), std::make_unique<Modest>(), pruners::make_pruner({}));
  Player player(study);
  player.run();
  REQUIRE(study.is_finished());
  CHECK(study.trial_count() == 5);
  CHECK(study.finish_reason() == "expected improvement of 0.167, under 0.25");
}

}  // namespace study_test
