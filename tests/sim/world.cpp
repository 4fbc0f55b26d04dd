// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "outcome.hpp"

namespace dlrun::sim {

namespace {

constexpr double kMeanPiece = 3000;       // seconds are ticks here; scale of delays
constexpr int kMostHappenings = 200'000;  // a study that does not end is a fault
constexpr int kMostCrashes = 30;          // then the machine is repaired

}  // namespace

World::World(const Scenario& scenario) : scenario_(scenario), random_(scenario.seed, {"sim", "world"}) {
  out_.study = std::make_unique<study::Study>(make_study(scenario));
  for (int i = 0; i < scenario.workers; ++i) idle_.insert(std::size_t(i));
}

Run World::run() {
  try {
    decide();
    dispatch();
  } catch (const Crash&) {
    restart();
  }
  play();
  if (scenario_.amendment && out_.study->is_finished()) {
    amend();
    play();
  }
  out_.makespan = now_;
  return std::move(out_);
}

bool World::is_amended() const {
  return std::any_of(out_.log.begin(), out_.log.end(), [](const LogRow& row) {
    const auto* event = std::get_if<study::Event>(&row);
    return event && std::holds_alternative<study::Amended>(*event);
  });
}

/// A person looks at what the search has found, changes the study and goes on.
void World::amend() {
  while (!is_amended()) {
    try {
      commit(study::Amended{1, "", "", {}, {}, scenario_.amendment});
      decide();
      dispatch();
    } catch (const Crash&) {
      restart();
    }
  }
}

void World::play() {
  for (int i = 0; !out_.study->is_finished(); ++i) {
    if (happenings_.is_empty() || i > kMostHappenings) {
      out_.faults.push_back(fmt::format("the study does not end: {} happenings, {} pending", i, out_.study->pending()));
      break;
    }
    const auto [time, source, sequence, h] = happenings_.next();
    now_ = std::max(now_, time);
    try {
      handle(h);
    } catch (const Crash&) {
      const bool is_of_piece = h.kind == Kind::result || h.kind == Kind::lost || h.kind == Kind::overdue;
      if (is_of_piece) happen(kMeanPiece, h.kind, h.worker, h.piece);  // unacknowledged: comes again
      restart();
    }
  }
}

void World::happen(double after, Kind kind, std::size_t worker, const study::StartPiece& piece) {
  happenings_.schedule(now_ + after, 0, {kind, worker, piece});
}

void World::handle(const Happening& h) {
  switch (h.kind) {
    case Kind::result: take_result(h.piece); break;
    case Kind::lost: lose(h.piece, trial::Cause::worker_lost); break;
    case Kind::overdue: lose(h.piece, trial::Cause::driver_lost); break;
    case Kind::go_on:
      if (!out_.study->is_stopped()) break;
      commit(study::Resumed{});
      decide();
      break;
    case Kind::worker_free:
    case Kind::worker_back: idle_.insert(h.worker); break;
  }
  dispatch();
}

void World::lose(const study::StartPiece& piece, trial::Cause cause) {
  if (!out_.study->is_current(piece.key, piece.attempt)) return;
  commit(study::AttemptLost{piece.key, piece.attempt, cause, "connection lost", ""});
  decide();
}

void World::take_result(const study::StartPiece& piece) {
  if (!out_.study->is_current(piece.key, piece.attempt)) {
    ++out_.stale;  // fenced; the study is asked all the same whether it measured what was committed
    const auto effects = out_.study->absorb(study::PieceEnded{result_of(piece)}).effects;
    if (!effects.empty()) out_.faults.emplace_back("a stale result had an effect");
    return;
  }
  const study::PieceEnded ended{result_of(piece)};
  switch (scenario_.plant) {
    case Plant::none:
      commit(ended);
      decide();
      break;
    case Plant::counted_early: count_early(ended); break;
    case Plant::left_early: leave_early(ended); break;
  }
  maybe_stop();
}

/// The event is in the log before the study hears of it.
void World::commit(const study::Event& event) {
  maybe_crash();
  out_.log.emplace_back(event);
  maybe_crash();
  const study::Output out = out_.study->absorb(event);
  record(out);
}

void World::count_early(const study::Event& event) {
  record(out_.study->absorb(event));
  decide();
  out_.log.emplace_back(event);
}

void World::leave_early(const study::Event& event) {
  const study::Output heard = out_.study->absorb(event), decided = out_.study->decide();
  carry_out(heard);
  carry_out(decided);
  dispatch();
  maybe_crash();
  out_.log.emplace_back(event);
  log(heard);
  log(decided);
}

void World::decide() {
  const study::Output out = out_.study->decide();
  maybe_crash();  // computed, not recorded: nobody saw it
  record(out);
  maybe_crash();  // recorded, not carried out
}

void World::record(const study::Output& out) {
  log(out);
  carry_out(out);
}

void World::log(const study::Output& out) {
  for (const auto& event : out.events) {
    const auto* lost = std::get_if<study::AttemptLost>(&event);
    out_.overtaken += lost && lost->cause == trial::Cause::overtaken;
    out_.log.emplace_back(event);
  }
  for (const auto& decision : out.decisions) out_.log.emplace_back(decision);
}

void World::carry_out(const study::Output& out) {
  for (const auto& effect : out.effects) {
    if (const auto* start = std::get_if<study::StartPiece>(&effect)) queue_.push_back(*start);
    if (const auto* abandon = std::get_if<study::AbandonPiece>(&effect)) drop(*abandon);
    if (std::holds_alternative<study::Diverged>(effect)) out_.faults.push_back("a result diverged");
  }
}

void World::maybe_crash() {
  if (out_.crashes < kMostCrashes && chance(scenario_.faults.crash / 4)) throw Crash{};
}

void World::maybe_stop() {
  if (out_.study->is_stopped() || out_.study->is_finished() || !chance(scenario_.faults.stop)) return;
  commit(study::StopAsked{"a person"});
  happen(kMeanPiece * 4 * random_.uniform(), Kind::go_on, 0, {});
}

/// Who comes back to a new driver goes on with what it has, and the others' attempts are lost when that has waited.
study::Output World::resume_work() {
  const bool is_waiting = chance(0.7);
  study::Output out = out_.study->resume_work([&](const trial::PieceKey& key, int attempt) {
    return is_waiting && started_.contains({key, attempt}) && chance(0.7);
  });
  for (const study::StartPiece& piece : out.under_way) {
    ++out_.adopted;
    if (chance(0.3)) happen(kMeanPiece, Kind::overdue, 0, piece);
  }
  return out;
}

/// A new driver: replay, then go on. Workers live on; most of what they hold is stale now.
void World::restart() {
  for (;;) {
    ++out_.crashes;
    queue_.clear();
    out_.study = std::make_unique<study::Study>(make_study(scenario_));
    for (const LogRow& row : out_.log) {
      if (const auto* event = std::get_if<study::Event>(&row)) out_.study->absorb(*event);
      if (const auto* decision = std::get_if<study::Decision>(&row)) out_.study->apply(*decision);
    }
    try {
      record(resume_work());
      maybe_crash();
      decide();
      if (out_.study->is_stopped()) happen(kMeanPiece, Kind::go_on, 0, {});
      dispatch();
      return;
    } catch (const Crash&) {
    }
  }
}

/// An order that has not left never does; whoever runs it finds its result refused.
void World::drop(const study::AbandonPiece& abandon) {
  std::erase_if(queue_, [&](const auto& p) { return p.key == abandon.key && p.attempt == abandon.attempt; });
}

void World::dispatch() {
  begin_decided();
  copy_something();
  begin_decided();
}

/// What a driver does with what is far behind; here with anything.
void World::copy_something() {
  std::erase_if(begun_, [&](const auto& p) { return !out_.study->is_current(p.key, p.attempt); });
  if (!queue_.empty() || idle_.empty() || begun_.empty() || !chance(scenario_.faults.copy)) return;
  const study::StartPiece& piece = begun_[random_.below(begun_.size())];
  if (!out_.study->may_be_copied(piece.key, piece.attempt)) return;
  ++out_.copies;
  commit(study::AttemptCopied{piece.key, piece.attempt});
}

void World::begin_decided() {
  while (!queue_.empty() && !idle_.empty()) {
    const study::StartPiece piece = take_piece();
    const std::size_t worker = *idle_.begin();
    idle_.erase(idle_.begin());
    begin(worker, piece);
  }
}

study::StartPiece World::take_piece() {
  std::size_t index = scenario_.faults.any_order ? random_.below(queue_.size()) : 0;
  if (scenario_.choose) index = scenario_.choose({*out_.study, queue_, out_.stints, idle_.size(), now_});
  study::StartPiece piece = queue_[index];
  queue_.erase(queue_.begin() + std::ptrdiff_t(index));
  return piece;
}

void World::begin(std::size_t worker, const study::StartPiece& piece) {
  if (!started_.insert({piece.key, piece.attempt}).second) {
    out_.faults.push_back(fmt::format("attempt {} of piece {} of trial {} was started twice", piece.attempt,
                                      piece.key.piece, piece.key.member.trial.value));
  }
  begun_.push_back(piece);
  const Faults& f = scenario_.faults;
  const double seconds = duration(piece);
  out_.busy += seconds;
  out_.stints.push_back({piece.key, piece.from_step, piece.to_step, now_, seconds});
  if (chance(f.death)) {
    ++out_.deaths;
    const double at = seconds * random_.uniform();
    happen(at + f.delay * kMeanPiece * random_.uniform(), Kind::lost, worker, piece);
    happen(at + kMeanPiece * random_.uniform(), Kind::worker_back, worker, {});
    return;
  }
  if (chance(f.false_alarm)) happen(seconds * random_.uniform(), Kind::lost, worker, piece);
  happen(seconds, Kind::worker_free, worker, {});
  const int copies = chance(f.repeated) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    happen(seconds + f.delay * kMeanPiece * random_.uniform(), Kind::result, worker, piece);
  }
}

double World::duration(const study::StartPiece& piece) {
  const auto values = out_.study->trial(piece.key.member.trial).values;
  if (scenario_.nature.duration) return scenario_.nature.duration(piece, values);
  const auto ticks = double(scenario_.rules.cost(values, piece.from_step, piece.to_step));
  const double s2 = std::log(1 + scenario_.faults.noise * scenario_.faults.noise);
  const double noise = std::exp(random_.normal() * std::sqrt(s2) - s2 / 2);
  return ticks * noise * (chance(scenario_.faults.straggler) ? scenario_.faults.slowness : 1);
}

trial::PieceResult World::result_of(const study::StartPiece& piece) {
  const trial::TrialId id = piece.key.member.trial;
  trial::PieceResult result = outcome(scenario_, out_.study->trial(id).values, piece);
  result.seconds = now_;
  const bool is_current = out_.study->is_current(piece.key, piece.attempt);
  const trial::Member& member = piece.key.member;
  if (is_current && chance(scenario_.faults.transient)) {
    constexpr trial::Cause kFree[] = {trial::Cause::machine, trial::Cause::crowded, trial::Cause::artifact};
    const bool is_first = had_transient_.insert(member).second;
    result.outcome = trial::Outcome::failed;
    result.cause = is_first ? trial::Cause::signal : kFree[static_cast<std::size_t>(3 * random_.uniform())];
    result.message = is_first ? "killed by signal 9" : "no fault of the trial";
    out_.free += !is_first;
    result.reports.clear();
    result.artifacts.clear();
  }
  return result;
}

}  // namespace dlrun::sim
