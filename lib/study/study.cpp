// SPDX-License-Identifier: Apache-2.0
#include "study/study.hpp"

#include <algorithm>
#include <cstdint>

#include "study/attempts.hpp"
#include "study/carry_out.hpp"
#include "study/choose.hpp"
#include "study/ending.hpp"
#include "study/replay.hpp"
#include "study/requests.hpp"
#include "study/results.hpp"
#include "study/reveal.hpp"
#include "study/view.hpp"

namespace dlrun::study {

namespace {

/// Pieces that have not ended, in the order of their decisions.
std::vector<Piece*> unfinished(Clock& clock) {
  std::vector<Piece*> pieces = clock.pending();
  std::erase_if(pieces, [](const Piece* piece) { return piece->has_ended; });
  std::sort(pieces.begin(), pieces.end(), [](auto* a, auto* b) { return a->decision < b->decision; });
  return pieces;
}

void lose_with_driver(State& state, const Piece& piece, int attempt, Output& out) {
  const AttemptLost lost{piece.key, attempt, trial::Cause::driver_lost, "its driver ended", ""};
  out.events.emplace_back(lost);
  absorb(state, lost, out);
}

}  // namespace

Study::Study(Rules rules, space::Space space, std::unique_ptr<samplers::Sampler> sampler,
             std::unique_ptr<pruners::Pruner> pruner)
    : state_(std::make_unique<State>(std::move(rules), std::move(space), std::move(sampler), std::move(pruner))) {}
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

Output Study::absorb(const Event& event) {
  Output out;
  std::visit([&](const auto& e) { study::absorb(*state_, e, out); }, event);
  return out;
}

Output Study::decide() {
  State& s = *state_;
  Output out;
  while (s.stage.is_searching() && !s.stage.is_stopped()) {
    const auto moment = s.clock.next();
    if (!moment) break;
    reveal(s, moment->at);
    auto decision = choose(s, *moment);
    if (!decision) break;
    carry_out(s, *decision, out);
    out.decisions.push_back(std::move(*decision));
  }
  return out;
}

void Study::apply(const Decision& decision) {
  require_follows(*state_, decision);
  reveal(*state_, decision.at);
  require_possible(*state_, decision);
  Output ignored;
  carry_out(*state_, decision, ignored);
}

Output Study::resume_work(const IsUnderWay& is_under_way) {
  State& s = *state_;
  Output out;
  for (Piece* piece : unfinished(s.clock)) {
    for (const int attempt : piece->running()) {
      const bool goes_on = is_under_way && is_under_way(piece->key, attempt);
      const int copy_of = attempt == piece->copy ? piece->attempt : 0;
      if (goes_on) out.under_way.push_back(start_of(s, *piece, attempt, copy_of));
      if (!goes_on) lose_with_driver(s, *piece, attempt, out);
    }
  }
  if (s.stage.is_testing()) ask_test(s, out);
  return out;
}

bool Study::is_finished() const { return state_->stage.is_over(); }
bool Study::is_stopped() const { return state_->stage.is_stopped(); }
std::string Study::finish_reason() const { return state_->stage.reason(); }
bool Study::is_current(const trial::PieceKey& key, int attempt) const {
  return state_->clock.find(key, attempt) != nullptr;
}
std::optional<Unmeasured> Study::lack_of(const trial::PieceResult& result) const {
  return study::lack_of(*state_, result);
}
bool Study::may_be_copied(const trial::PieceKey& key, int attempt) const {
  const Piece* piece = state_->clock.find(key, attempt);
  return piece && piece->may_be_copied(attempt);
}
std::int64_t Study::trial_count() const { return state_->trials.size(); }
TrialView Study::trial(trial::TrialId id) const { return view_of(*state_, id); }
std::int64_t Study::steps_of(const trial::Member& member) const { return state_->trials[member].steps; }
const trial::Members& Study::members() const { return state_->trials.plan(); }
const space::Space& Study::space() const { return state_->space; }
std::vector<space::Values> Study::asked() const { return {state_->agenda.points.begin(), state_->agenda.points.end()}; }
bool Study::can_be_retried(trial::TrialId id) const { return id >= state_->closed_before; }
std::optional<trial::TrialId> Study::best() const { return state_->ranking.best(); }
std::vector<trial::TrialId> Study::front() const { return state_->ranking.front(); }
std::int64_t Study::pending() const { return state_->clock.unfinished(); }
std::vector<trial::PieceKey> Study::awaited() const {
  std::vector<trial::PieceKey> keys;
  for (const Piece* piece : state_->clock.awaited(SIZE_MAX)) keys.push_back(piece->key);
  return keys;
}

}  // namespace dlrun::study
