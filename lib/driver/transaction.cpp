// SPDX-License-Identifier: Apache-2.0
// Rows of one transaction, and what may leave once they are on the disk.
#include <fmt/format.h>

#include <utility>

#include "driver/backoff.hpp"
#include "driver/loop.hpp"
#include "driver/orders.hpp"

namespace dlrun::driver {

namespace {

std::string name_of(const trial::PieceKey& key) { return trial::describe(key.member); }

}  // namespace

/// Everything that came in this round, and the decisions that follow, share one transaction and one fsync.
void Loop::commit_round() {
  for (Incoming& found : citing_.take_found()) incoming_.push_back(std::move(found));
  if (incoming_.empty() && !side_rows_.needs_full_commit()) {
    commit_telemetry();
  } else {
    store_.begin();
    write_side_rows();
    for (const Incoming& incoming : std::exchange(incoming_, {})) absorb(incoming);
    if (!ending_.has_begun()) decide();
    store_.commit(storage::Durability::full);
  }
  release();
  tell_warnings();
}

/// Values that differ from what an earlier attempt measured: loudly, but not for ever.
void Loop::tell_warnings() {
  constexpr std::size_t kMost = 20;
  const std::vector<std::string> all = store_.warnings();
  for (; warned_ < all.size(); ++warned_) {
    if (warned_ < kMost) display_.line("warning: " + all[warned_]);
    if (warned_ == kMost) display_.line("warning: more of these; `dlrun report --section divergences` has them all");
  }
}

/// What no decision rests on: in groups, without an fsync.
void Loop::commit_telemetry() {
  if (!side_rows_.is_due(clock_.now())) return;
  store_.begin();
  write_side_rows();
  store_.commit(storage::Durability::normal);
}

void Loop::write_side_rows() {
  for (const std::string& warning : side_rows_.write(store_)) display_.line(warning);
}

void Loop::absorb(const Incoming& incoming) {
  const auto* ended = std::get_if<study::PieceEnded>(&incoming.event);
  const auto* lost = std::get_if<study::AttemptLost>(&incoming.event);
  const bool is_stale = (ended && !study_.is_current(ended->result.key, ended->result.attempt)) ||
                        (lost && !study_.is_current(lost->key, lost->attempt));
  if (!is_stale && incoming.citation) store_.cite(*ended, *incoming.citation);
  if (!is_stale && !incoming.citation) store_.add(incoming.event);
  cited_ += !is_stale && incoming.citation;
  retry_wait_ = wait_after(incoming.event);
  const study::Output out = study_.absorb(incoming.event);
  for (const study::Event& event : out.events) {
    store_.add(event);
    tell_overtaken(event);
  }
  carry_out(out.effects);
  retry_wait_ = {};
  if (const auto* test = std::get_if<study::TestMeasured>(&incoming.event)) tell_test(test->result);
  if (incoming.worker >= 0) outbox_.acknowledge(incoming.worker, *incoming.attempt, is_stale);
}

/// Before what this event lost is tried again, if it is.
Clock::duration Loop::wait_after(const study::Event& event) const {
  const auto wait = [this](const trial::PieceKey& piece, trial::Cause cause) {
    return std::chrono::duration_cast<Clock::duration>(
        wait_before_retry(spec_.retry_delay, blame_.losses(piece), cause));
  };
  if (const auto* lost = std::get_if<study::AttemptLost>(&event)) return wait(lost->key, lost->cause);
  const auto* ended = std::get_if<study::PieceEnded>(&event);
  const auto* test = std::get_if<study::TestMeasured>(&event);
  if (!ended && !test) return Clock::duration::zero();
  const trial::PieceResult& result = ended ? ended->result : test->result;
  return result.outcome == trial::Outcome::failed ? wait(result.key, result.cause) : Clock::duration::zero();
}

void Loop::tell_overtaken(const study::Event& event) {
  const auto& lost = std::get<study::AttemptLost>(event);
  display_.line(fmt::format("{}: {}, attempt {} is given up", name_of(lost.key), lost.message, lost.attempt));
}

/// A study may end without its test: the search is not undone for that, but it must be seen.
void Loop::tell_test(const trial::PieceResult& result) {
  if (result.outcome != trial::Outcome::failed) return;
  const std::string text = "the test split was not measured: " + result.message;
  store_.note(result.key.member.trial, text);
  display_.line("warning: " + name_of(result.key) + ": " + text);
}

void Loop::record(const study::Decision& decision) {
  store_.add(decision);
  if (decision.kind != study::DecisionKind::start) return;
  const trial::TrialId trial = decision.key.member.trial;
  if (const auto origin = origins_.of(trial)) store_.descend(trial, *origin);
}

void Loop::decide() {
  const study::Output out = study_.decide();
  for (const study::Decision& decision : out.decisions) record(decision);
  carry_out(out.effects);
}

void Loop::carry_out(const std::vector<study::Effect>& effects) {
  for (const study::Effect& effect : effects) {
    std::visit([this](const auto& what) { carry_out(what); }, effect);
  }
}

void Loop::carry_out(const study::StartPiece& effect) {
  if (!citing_.keeps(effect)) outbox_.start(as_known({effect}));
}

/// Adds what is known of how it went before: when and where it may leave.
Work Loop::as_known(Work work) const {
  if (retry_wait_.count() > 0) work.not_before = clock_.now() + retry_wait_;
  work.alone_on = crowded_.host_of(work.piece.key);
  return work;
}

void Loop::carry_out(const study::AbandonPiece& effect) {
  stages_.end(effect.key, effect.attempt, false);
  const executor::AttemptKey attempt{effect.key, effect.attempt};
  adoption_.forget(attempt);
  citing_.forget(attempt);
  outbox_.abandon(attempt);
}

void Loop::carry_out(const study::TrialChanged& effect) {
  store_.change(effect);
  tally_.change(effect.trial, effect.state);
  tally_.advance(effect.trial, effect.steps);
  // A failed one may be tried again (`dlrun retry`) and then goes on from what it saved.
  const bool never_goes_on = trial::is_final(effect.state) && effect.state != trial::TrialState::failed;
  if (never_goes_on && spec_.kind == "train") outbox_.remove_partials(effect.trial);
  if (trial::is_final(effect.state)) stages_.pass(effect.trial, study_.members());
  if (effect.state == trial::TrialState::failed) {
    display_.line("trial " + std::to_string(effect.trial.value) + " failed: " + effect.message);
  }
}

void Loop::carry_out(const study::MeasureTest& effect) { outbox_.start(as_known(test_work(effect, ++test_attempts_))); }

void Loop::carry_out(const study::Diverged& effect) {
  const std::string text = name_of(effect.key) + ", attempt " + std::to_string(effect.attempt) +
                           " measured something else than the attempt that was recorded first, which counts";
  store_.note(effect.key.member.trial, text);
  display_.line("warning: " + text);
}

/// With the row that ends the study: a crash in between would leave a study that is over and does not say so.
void Loop::carry_out(const study::Finished& effect) { store_.study_state("finished", effect.reason); }

/// After a commit.
void Loop::release() {
  const auto abandon = [this](const executor::AttemptKey& attempt) {
    mending_.drop(attempt);
    return dispatcher_.abandon(attempt);
  };
  const auto start = [this](Work work) { mending_.queue(std::move(work)); };
  const auto remove_partials = [this](trial::TrialId trial) { store_.remove_partials(trial); };
  outbox_.release(executor_, {abandon, start, remove_partials});
}

/// Heirs have the weights of others, and trials from before an amendment may lie in another space.
std::optional<space::Values> Loop::values_of(trial::TrialId trial) const {
  const study::TrialView view = study_.trial(trial);
  const bool is_of_space = view.values.size() == spec_.space.size() && spec_.space.contains(view.values);
  if (view.donor || !is_of_space) return std::nullopt;
  return view.values;
}

/// Workers that have room get the next pieces that are decided and committed.
void Loop::dispatch() {
  if (!ending_.has_begun()) placing_.place();
}

}  // namespace dlrun::driver
