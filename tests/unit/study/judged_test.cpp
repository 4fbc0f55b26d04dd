// SPDX-License-Identifier: Apache-2.0
// The best trial, targets and what samplers are told, by numbers given to each trial.
#include <functional>

#include "helpers.hpp"
#include "study/objective.hpp"

namespace judged_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

using Measure = std::function<double(std::int64_t trial, int member)>;

PieceResult measured(const Study& study, const StartPiece& start, const Measure& measure) {
  PieceResult r = result_of(study, start);
  const trial::Member& m = start.key.member;
  for (auto& report : r.reports) report.metrics[0].value = measure(m.trial.value, study.members().index_of(m));
  return r;
}

void play(Player& player, const Measure& measure) {
  player.decide();
  while (!player.queue.empty()) {
    const StartPiece start = player.pop();
    if (player.study.is_current(start.key, start.attempt))
      player.absorb(PieceEnded{measured(player.study, start, measure)});
    player.decide();
  }
}

Measure in_order(std::vector<double> values) {
  return [values = std::move(values)](std::int64_t trial, int) { return values.at(std::size_t(trial)); };
}

/// The best of trials that measure these values, once all is over.
std::int64_t best_of(std::vector<double> values, bool maximize, const pruners::PrunerOptions& pruner = {}) {
  Rules r = rules(1, std::int64_t(values.size()));
  r.objective.maximize = maximize;
  Study study = make(r, pruner);
  Player player(study);
  play(player, in_order(std::move(values)));
  CHECK(study.is_finished());
  return study.best()->value;
}

/// Keeps what it is told, in order.
class Listener final : public samplers::Sampler {
 public:
  explicit Listener(std::vector<samplers::Observation>& heard) : heard_(heard) {}
  std::string_view name() const override { return "listener"; }
  void on_result(const samplers::Observation& seen) override { heard_.push_back(seen); }
  std::optional<space::Values> propose(std::int64_t number) override {
    return space::Values{static_cast<double>(number % 97) / 100};
  }

 private:
  std::vector<samplers::Observation>& heard_;
};

}  // namespace

TEST_CASE("the best is the lowest or the highest, and of equal ones the first", "[study][best]") {
  CHECK(best_of({3, 1, 2, 1}, false) == 1);
  CHECK(best_of({1, 3, 2, 3}, true) == 1);
}

TEST_CASE("while none has completed, the best is the best of what is measured", "[study][best]") {
  const bool maximize = GENERATE(false, true);
  Rules r = rules(1, 4);
  r.objective.maximize = maximize;
  Study study = make(r, asha(27));
  Player player(study);
  player.decide();
  CHECK_FALSE(study.best());
  const double sign = maximize ? -1 : 1;
  const Measure values = in_order({2 * sign, 1 * sign, 1 * sign, 3 * sign});
  while (!player.queue.empty() && player.queue.front().key.piece == 0) {
    player.absorb(PieceEnded{measured(study, player.pop(), values)});
    player.decide();
  }
  CHECK(study.best() == TrialId(1));
  SECTION("what is cancelled is not") {
    player.absorb(CancelAsked{TrialId(1)});
    CHECK(study.trial(TrialId(1)).state == TrialState::cancelled);
    CHECK(study.best() == TrialId(2));
    player.absorb(CancelAsked{TrialId(2)});
    CHECK(study.best() == TrialId(0));
  }
}

TEST_CASE("a target is met by what equals it, and by better ones", "[study][end]") {
  const auto trials = [](std::vector<double> values, bool maximize) {
    Rules r = rules(1, std::int64_t(values.size()));
    r.slack = 0;
    r.objective.maximize = maximize;
    r.limits.target = 2;
    Study study = make(r);
    Player player(study);
    play(player, in_order(std::move(values)));
    return std::pair(study.trial_count(), study.finish_reason());
  };
  CHECK(trials({3, 2.5, 2, 0, 0}, false) == std::pair(std::int64_t(3), std::string("trial 2 met the target of 2")));
  CHECK(trials({3, 1.5, 2, 0, 0}, false) == std::pair(std::int64_t(2), std::string("trial 1 met the target of 2")));
  CHECK(trials({1, 1.5, 2, 9, 9}, true) == std::pair(std::int64_t(3), std::string("trial 2 met the target of 2")));
  CHECK(trials({1, 2.5, 2, 9, 9}, true) == std::pair(std::int64_t(2), std::string("trial 1 met the target of 2")));
  CHECK(trials({1, 1.5, 1, 1}, true) == std::pair(std::int64_t(4), std::string("limit of 4 trials")));
}

TEST_CASE("of equal epochs the first is the best one", "[study][objective]") {
  const auto best = measure({"acc", true, true}, {{1, {{"acc", 1}}}, {2, {{"acc", 3}}}, {3, {{"acc", 3}}}}, {});
  CHECK(std::get<Measured>(best).step == 2);
  const auto kept = measure({"acc", true, true}, {{4, {{"acc", 3}}}}, Measured{3, 2});
  CHECK(std::get<Measured>(kept).step == 2);
  const auto last = measure({"acc", true, false}, {{4, {{"acc", 1}}}, {5, {{"loss", 9}}}}, Measured{3, 2});
  CHECK(std::get<Measured>(last).step == 4);
}

TEST_CASE("a mean curve has a value only between the first and the last that a member measured", "[study][members]") {
  // Epoch 2 is the second member's alone: the first measured before and after it, and is not asked.
  CHECK(mean_curve({{{1, 2.0}, {3, 4.0}}, {{1, 4.0}, {2, 5.0}, {3, 8.0}}}) == Curve{{1, 3.0}, {2, 5.0}, {3, 6.0}});
  // Before its first value a member has none.
  CHECK(mean_curve({{{2, 4.0}}, {{1, 1.0}, {2, 2.0}}}) == Curve{{1, 1.0}, {2, 3.0}});
}

TEST_CASE("a sampler hears costs: lower is better, whatever the direction", "[study][sampler]") {
  const bool maximize = GENERATE(false, true);
  std::vector<samplers::Observation> heard;
  Rules r = rules(1, 2);
  r.objective.maximize = maximize;
  r.epochs = 3;
  Study study(r, line(), std::make_unique<Listener>(heard), pruners::make_pruner({}));
  Player player(study);
  play(player, in_order({5, 7}));
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].objective == (maximize ? -5 : 5));
  CHECK(heard[1].objective == (maximize ? -7 : 7));
  CHECK(heard[1].trial == TrialId(1));
  CHECK(heard[1].steps == 3);
  CHECK(heard[1].is_whole);
}

TEST_CASE("a sampler hears of every rung, and which is the last", "[study][sampler]") {
  std::vector<samplers::Observation> heard;
  Study study(rules(1, 2), line(), std::make_unique<Listener>(heard), pruners::make_pruner(asha(3)));
  Player player(study);
  play(player, in_order({5, 7}));
  std::vector<std::pair<std::int64_t, bool>> first;
  for (const auto& seen : heard) {
    if (seen.trial == TrialId(0)) first.emplace_back(seen.steps, seen.is_whole);
  }
  CHECK(first.front() == std::pair(std::int64_t(1), false));
  if (first.size() > 1) CHECK(first.back() == std::pair(std::int64_t(3), true));
  CHECK(study.best() == TrialId(0));
}

TEST_CASE("of a trial that stops between its members a sampler hears their mean", "[study][sampler][members]") {
  // Member m of trial t measures t + m / 100: trial 1 is worse in every pair, and stops before its last member.
  std::vector<samplers::Observation> heard;
  Rules r = rules(1, 2);
  r.slack = 0;
  r.members = {1, 12};
  const pruners::PrunerOptions wilcoxon{pruners::Wilcoxon{.alpha = 0.2}, {.members = 12}};
  Study study(r, line(), std::make_unique<Listener>(heard), pruners::make_pruner(wilcoxon));
  Player player(study);
  std::vector<double> sums(2, 0);
  std::vector<int> counts(2, 0);
  play(player, [&](std::int64_t trial, int member) {
    const double value = double(trial) + member / 100.0;
    sums[std::size_t(trial)] += value;
    ++counts[std::size_t(trial)];
    return value;
  });
  REQUIRE(study.trial(TrialId(1)).state == TrialState::pruned);
  REQUIRE(counts[1] < 12);
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].objective == Approx(0.055));
  CHECK(heard[0].is_whole);
  CHECK(heard[1].trial == TrialId(1));
  CHECK(heard[1].objective == Approx(sums[1] / counts[1]));
  CHECK(heard[1].objective == study.trial(TrialId(1)).objective);
  CHECK(heard[1].steps == 1);
  CHECK_FALSE(heard[1].is_whole);
  CHECK(study.best() == TrialId(0));
}

TEST_CASE("the test is measured with the checkpoint that the objective is from", "[study][test]") {
  const bool at_best = GENERATE(false, true);
  Rules r = rules(1, 1);
  r.objective.at_best = at_best;
  r.test_best = true;
  r.epochs = 3;
  Study study = make(r);
  Player player(study);
  player.decide();
  PieceResult result = result_of(study, player.pop());
  const double losses[] = {0.5, 0.2, 0.4};
  for (int e = 0; e < 3; ++e) result.reports[std::size_t(e)].metrics[0].value = losses[e];
  result.artifacts.push_back({"best", std::string(64, 'b'), 1, 2});
  player.absorb(PieceEnded{result});
  player.decide();
  const auto asked = all<MeasureTest>({{}, {}, player.effects});
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].artifact == std::string(64, at_best ? 'b' : 'a'));
  CHECK(asked[0].step == (at_best ? 2 : 3));
}

TEST_CASE("whatever else a repeated attempt leaves is a divergence", "[study][fencing]") {
  Rules r = rules(1, 2);
  r.retries = {{Cause::worker_lost, 1}};
  Study study = make(r);
  Player player(study);
  player.decide();
  const StartPiece first = player.pop();
  const PieceResult result = result_of(study, first);
  player.absorb(PieceEnded{result});
  const auto diverges = [&](const std::function<void(PieceResult&)>& change) {
    PieceResult other = result;
    other.attempt = 2;
    change(other);
    return all<Diverged>(study.absorb(PieceEnded{other})).size() == 1;
  };
  CHECK_FALSE(diverges([](PieceResult&) {}));
  CHECK(diverges([](PieceResult& p) { p.artifacts[0].sha256[63] = 'b'; }));
  CHECK(diverges([](PieceResult& p) { p.artifacts[0].role = "best"; }));
  CHECK(diverges([](PieceResult& p) { p.artifacts.clear(); }));
  CHECK(diverges([](PieceResult& p) { p.reports[0].step = 2; }));
  CHECK(diverges([](PieceResult& p) { p.reports[0].metrics[0].name = "other"; }));
  CHECK(diverges([](PieceResult& p) { p.reports[0].metrics.push_back({"further", 0}); }));
  CHECK(diverges([](PieceResult& p) { p.outcome = Outcome::early; }));
}

}  // namespace judged_test
