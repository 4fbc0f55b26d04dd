// SPDX-License-Identifier: Apache-2.0
// Sampler and pruner that do as a test says, and a state made by hand: for parts of the study that are tested alone.
#pragma once
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pruners/pruner.hpp"
#include "samplers/sampler.hpp"
#include "study/state.hpp"
#include "util/json.hpp"

namespace dlrun::test {

/// Words and proposals that outlive the sampler which they belong to.
struct SamplerScript {
  std::vector<std::string> heard;  ///< "start 0", "result 0: 0.5", "learn 2"
  std::deque<space::Values> proposals;
  std::optional<double> promise;
  std::string reason = "by script";
};

class FakeSampler final : public samplers::Sampler {
 public:
  explicit FakeSampler(SamplerScript& script) : script_(script) {}
  std::string_view name() const override { return "fake"; }
  void learn(const std::vector<samplers::Observation>& trials) override {
    script_.heard.push_back(fmt::format("learn {}", trials.size()));
  }
  void on_start(trial::TrialId id, const space::Values&) override {
    script_.heard.push_back(fmt::format("start {}", id.value));
  }
  void on_result(const samplers::Observation& seen) override {
    const std::string value = seen.objective ? fmt::format("{}", *seen.objective) : "failed";
    script_.heard.push_back(fmt::format("result {}: {}{}", seen.trial.value, value, seen.is_whole ? ", whole" : ""));
  }
  std::optional<space::Values> propose(std::int64_t) override {
    if (script_.proposals.empty()) return std::nullopt;
    return script_.proposals.front();
  }
  std::optional<double> expected_improvement() const override { return script_.promise; }
  std::string reason() const override { return script_.reason; }

 private:
  SamplerScript& script_;
};

/// Answers of a pruner, and all that it was told: "value 0 at rung 1: 0.5", "gone 2".
struct PrunerScript {
  std::vector<std::string> heard;
  std::vector<pruners::Point> curve;  ///< the one told last
  std::vector<std::int64_t> rungs;
  std::optional<pruners::Promotion> promotion, promotion_at_end;
  std::optional<pruners::Stop> stop;
  std::optional<pruners::Heir> heir;
  int first_rung = 0;
  bool wants_new = true, judges_members = false, is_whole = false;
};

class FakePruner final : public pruners::Pruner {
 public:
  explicit FakePruner(PrunerScript& script) : script_(script) {}
  std::vector<std::int64_t> rungs() const override { return script_.rungs; }
  int first_rung() const override { return script_.first_rung; }
  void on_start(trial::TrialId id) override { hear("start {}", id.value); }
  void on_curve(trial::TrialId, const std::vector<pruners::Point>& curve) override { script_.curve = curve; }
  void on_value(trial::TrialId id, int rung, std::optional<double> value) override {
    hear("value {} at rung {}: {}", id.value, rung, value ? fmt::format("{}", *value) : "failed");
  }
  bool judges_members() const override { return script_.judges_members; }
  void on_member(trial::TrialId id, int member, double value) override {
    hear("member {}.{}: {}", id.value, member, value);
  }
  void on_gone(trial::TrialId id) override { hear("gone {}", id.value); }
  std::optional<pruners::Promotion> next() const override { return script_.promotion; }
  std::optional<pruners::Promotion> next_at_end() const override { return script_.promotion_at_end; }
  std::optional<pruners::Stop> next_stop() const override { return script_.stop; }
  bool wants_new() const override { return script_.wants_new; }
  std::string closing_reason() const override { return "the pruner wants no more"; }
  std::optional<pruners::Heir> next_heir() const override { return script_.heir; }
  bool is_whole(trial::TrialId) const override { return script_.is_whole; }
  void claim(trial::TrialId id, int rung) override { hear("claim {} from rung {}", id.value, rung); }

 private:
  template <class... Args>
  void hear(fmt::format_string<Args...> format, Args&&... args) {
    script_.heard.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  PrunerScript& script_;
};

/// A state over one parameter, with trials and pieces that a test puts there by hand.
struct StateFixture {
  SamplerScript sampler;
  PrunerScript pruner;
  study::State state;

  explicit StateFixture(study::Rules rules = {}, std::vector<std::int64_t> rungs = {1, 3, 9})
      : pruner{.rungs = std::move(rungs)},
        state(named(std::move(rules)), space::Space({{.name = "x", .low = 0, .high = 1}}),
              std::make_unique<FakeSampler>(sampler), std::make_unique<FakePruner>(pruner)) {}

  static study::Rules named(study::Rules rules) {
    rules.objective.metric = "loss";
    return rules;
  }
  trial::Member member(trial::TrialId id, int index) const { return state.trials.plan().at(id, index); }
  trial::TrialId add_trial(double x) { return state.trials.add({x}); }
  /// A trial that has ended a piece with this objective, or waits at a rung.
  trial::TrialId add_measured(double x, double objective, trial::TrialState as) {
    const trial::TrialId id = add_trial(x);
    study::Record& record = state.trials[id];
    record.objective = objective;
    record.steps = 1;
    record.pieces = 1;
    record.state = as;
    for (int m = 0; m < state.trials.plan().count(); ++m) {
      study::MemberRecord& measured = state.trials[member(id, m)];
      measured.objective = objective;
      measured.pieces = 1;
      measured.last = "last";
    }
    return id;
  }
  /// All members' pieces of a trial are decided and under way.
  void begin_pieces(trial::TrialId id, int piece = 0) {
    study::Round round;
    round.piece = piece;
    round.pending = state.trials.plan().count();
    state.rounds.open(id, round);
    state.trials[id].state = trial::TrialState::running;
    for (int m = 0; m < state.trials.plan().count(); ++m) {
      study::Piece begun;
      begun.decision = 100 * id.value + m;
      begun.key = {member(id, m), piece};
      begun.end = 1000 * (piece + 1);
      state.clock.start(begun);
    }
  }
  study::Piece& piece(trial::TrialId id, int index = 0) { return *state.clock.find(member(id, index)); }
};

}  // namespace dlrun::test
