// SPDX-License-Identifier: Apache-2.0
// What happened outside, turned into events.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "driver/environment.hpp"
#include "driver/loop.hpp"
#include "driver/orders.hpp"
#include "trial/json.hpp"

namespace dlrun::driver {

using trial::TrialState;

namespace {

std::string name_of(const executor::AttemptKey& attempt) {
  return trial::describe(attempt.piece.member) + ", attempt " + std::to_string(attempt.attempt);
}

/// What a worker left behind that could not send it: the end of the attempt's log, then what it printed itself.
std::string log_tail_of(const std::filesystem::path& folder, const std::string& printed) {
  constexpr std::size_t kMost = 4096;
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(folder / "attempt.log", none);
  if (none) return printed;
  std::ifstream file(folder / "attempt.log", std::ios::binary);
  file.seekg(static_cast<std::streamoff>(size - std::min<std::uintmax_t>(size, kMost)));
  std::string tail(std::istreambuf_iterator<char>(file), {});
  if (!tail.empty() && tail.back() != '\n') tail += '\n';
  tail += printed;
  return tail.size() <= kMost ? tail : tail.substr(tail.size() - kMost);
}

}  // namespace

void Loop::take(const executor::WorkerReady& ready) {
  side_rows_.add(WorkerRow{ready.worker, ready.pid, ready.host, ready.has_joined ? "joined" : "running"});
  if (ready.is_apart) placing_.set_apart(ready.worker);
  if (ready.has_joined) {
    display_.line(
        fmt::format("worker {} joined from {}{}", ready.worker, ready.host,
                    ready.is_apart ? "; it does not see the store, artifacts travel through this driver" : ""));
  }
  dispatcher_.worker_ready(ready.worker, ready.host);
  blame_.worker_ready(ready.worker, ready.host);
  if (ready.host == host_name()) metering_.worker_ready(ready.worker, ready.gpu);
  for (const executor::AttemptKey& attempt : ready.holds) adopt(ready.worker, attempt);
}

/// The worker came with an attempt that another driver gave it: it goes on where that is still wanted of it.
void Loop::adopt(std::int64_t worker, const executor::AttemptKey& attempt) {
  const auto work = wanted(attempt);
  if (!work) return executor_.send(worker, protocol::Abandon{attempt.piece, attempt.attempt});
  display_.line(fmt::format("{}: worker {} goes on with it", name_of(attempt), worker));
  placing_.go_on({worker, *work});
}

/// It waits for its worker, or for any.
std::optional<Work> Loop::wanted(const executor::AttemptKey& attempt) {
  if (ending_.has_begun()) return std::nullopt;
  if (auto piece = adoption_.claim(attempt)) return Work{std::move(*piece)};
  return dispatcher_.take_waiting(attempt);
}

void Loop::take(executor::WorkerPrepared& prepared) {
  const std::string& warning = prepared.runtime.warning;
  if (!warning.empty() && warning != told_of_runtime_) display_.line("warning: " + (told_of_runtime_ = warning));
  for (const study::StartPiece& piece : citing_.learn(prepared.runtime.numerics))
    mending_.queue(retrying_.as_known({piece}));
  dispatcher_.worker_computes(prepared.worker, prepared.runtime.numerics);
  side_rows_.add(RuntimeRow{prepared.worker, std::move(prepared.runtime)});
}

void Loop::take(executor::StepsCame& came) {
  if (!study_.is_current(came.attempt.piece, came.attempt.attempt)) return;
  side_rows_.add(std::move(came), clock_.now());
}

void Loop::take(executor::ResultCame& came) {
  const executor::AttemptKey attempt{came.result.key, came.result.attempt};
  const bool lacks_memory = came.result.cause == trial::Cause::oom;
  const bool had_company = lacks_memory && dispatcher_.had_company(came.worker);
  const auto work = dispatcher_.finished(came.worker, attempt, came.result.seconds);
  if (work) metering_.ended(came.worker, *work, came.result.seconds);
  if (is_given_up(came, work) || is_of_another(came, work)) {
    executor_.send(came.worker, protocol::Fenced{attempt.piece, attempt.attempt});  // before it is given the same again
    if (work) dispatcher_.put_back(*work);
    return;
  }
  if (work && work->is_repair) return take_repaired(came, *work);
  adoption_.forget(attempt);
  if (work) mending_.examine(came.result, *work);
  if (work) judge(came, had_company);
  stragglers_.finish(came.result);
  stages_.end(attempt.piece, attempt.attempt, came.result.outcome != trial::Outcome::failed);
  if (work && work->is_test) {
    incoming_.push_back({study::TestMeasured{std::move(came.result)}, came.worker, attempt});
  } else {
    incoming_.push_back({study::PieceEnded{std::move(came.result)}, came.worker, attempt});
  }
}

/// A piece that was run again has ended.
void Loop::take_repaired(executor::ResultCame& came, const Work& work) {
  trial::PieceResult& result = came.result;
  executor_.send(came.worker, protocol::Ack{result.key, result.attempt});
  if (result.outcome != trial::Outcome::failed) {
    blame_.succeeded(came.worker, result.key);
    return mending_.succeeded(result, work, citing_.numerics());
  }
  blame_.lost(came.worker, result.key, result.cause, clock_.now());
  tell_news();
  mending_.failed(result, work);
}

/// It was told to give up an attempt, by another driver or because another worker has it, that is wanted all the same:
/// that is no failure of the piece.
bool Loop::is_given_up(const executor::ResultCame& came, const std::optional<Work>& work) const {
  const trial::PieceResult& result = came.result;
  const bool is_cancelled = result.outcome == trial::Outcome::failed && result.cause == trial::Cause::cancelled;
  return is_cancelled && ((work && work->is_beside()) || study_.is_current(result.key, result.attempt));
}

/// The attempt counts, but this worker was not given it: another one's result is waited for.
bool Loop::is_of_another(const executor::ResultCame& came, const std::optional<Work>& work) const {
  return !work && study_.is_current(came.result.key, came.result.attempt);
}

/// What a result says about its worker's machine, and that about the trial.
void Loop::judge(executor::ResultCame& came, bool had_company) {
  trial::PieceResult& result = came.result;
  if (result.outcome == trial::Outcome::failed) return judge_loss(came.worker, result, had_company);
  blame_.succeeded(came.worker, result.key);
  crowded_.forget(result.key);
  outage_.succeeded();
  tell_remark(result);
  tell_news();
}

/// Says who is to blame for it; its cause is another one where that may have been others.
void Loop::judge_loss(std::int64_t worker, trial::PieceResult& result, bool had_company) {
  const Shortage shortage{had_company, result.peak_rss, spec_.memory_bytes};
  const bool is_crowded =
      result.cause == trial::Cause::oom && crowded_.excuses(result.key, blame_.host_of(worker), shortage);
  if (is_crowded) {
    result.cause = trial::Cause::crowded;
    result.message += had_company ? "; others ran beside it" : "; it had less than resources.memory_mb";
  }
  const std::string what = name_of({result.key, result.attempt}) + ": " + result.message;
  if (is_crowded) display_.line(what + ": it runs again, alone on its host");
  if (result.cause == trial::Cause::machine && outage_.lost(result.key, result.message))
    display_.line(what + ": no fault of the trial, it is tried again");
  result.message += blame_.lost(worker, result.key, result.cause, clock_.now());
  tell_news();
}

/// A piece that succeeded may have something to say, and the others will say the same: once.
void Loop::tell_remark(const trial::PieceResult& result) {
  if (result.message.empty() || std::exchange(has_told_remark_, true)) return;
  display_.line("warning: " + trial::describe(result.key.member) + ": " + result.message);
  side_rows_.add(Remark{.trial = result.key.member.trial, .text = result.message});
}

/// Of hosts, also to whoever looks at the study later.
void Loop::tell_news() {
  for (const std::string& text : blame_.take_news()) {
    display_.line(text);
    side_rows_.add(Remark{.text = text});
  }
}

void Loop::take(executor::ReportCame& came) {
  if (!study_.is_current(came.attempt.piece, came.attempt.attempt)) return;
  tally_.advance(came.attempt.piece.member.trial, came.report.step);
  stages_.reach(came.attempt.piece, came.attempt.attempt, came.report.step);
  side_rows_.add(std::move(came), clock_.now());
}

/// What waits there goes to others; what it runs is either finished yet or lost when it ends.
void Loop::take(const executor::WorkerLeaves& leaves) {
  blame_.worker_leaves(leaves.worker);
  const auto waiting = dispatcher_.worker_leaves(leaves.worker);
  for (auto work = waiting.rbegin(); work != waiting.rend(); ++work) dispatcher_.put_back(*work);
}

void Loop::take(executor::WorkerEnded& ended) {
  const std::string host = ended.host.empty() ? host_name() : ended.host;
  side_rows_.add(WorkerRow{ended.worker, ended.pid, host, ended.is_expected ? "ended" : "lost"});
  const bool had_company = dispatcher_.had_company(ended.worker);
  const auto held = dispatcher_.worker_ended(ended.worker);
  if (!held.empty()) metering_.ended(ended.worker, held.front(), 0);
  for (const Work& work : held) {
    if (work.is_repair) continue;
    stragglers_.forget(work.attempt());
    stages_.end(work.piece.key, work.piece.attempt, false);
  }
  if (held.empty() && (!ended.is_expected || (!ended.host.empty() && !ending_.has_begun()))) {
    display_.line("worker " + std::to_string(ended.worker) + " ended without work: " + ended.message);
  }
  if (ending_.has_begun()) return;
  if (options_.only_joined && executor_.alive() == 0) display_.line("no worker is left; waiting for one to join");
  for (auto work = held.rbegin(); work != held.rend(); ++work) {
    const bool is_first = std::next(work) == held.rend();
    if (is_first) {
      lose(*work, ended, had_company);
    } else if (work->is_beside() ||
               study_.is_current(work->piece.key, work->piece.attempt)) {  // not cancelled meanwhile
      dispatcher_.put_back(*work);
    }
  }
  blame_.worker_ended(ended.worker);
}

/// The piece its worker died of. (Those that waited behind it never began and keep their attempt.)
void Loop::lose(const Work& work, const executor::WorkerEnded& ended, bool had_company) {
  const executor::AttemptKey attempt = work.attempt();
  trial::PieceResult result{.key = attempt.piece, .attempt = attempt.attempt};
  result.outcome = trial::Outcome::failed;
  result.cause = ended.cause;
  result.message = ended.message;
  judge_loss(ended.worker, result, had_company);
  display_.line(name_of(attempt) + ": its worker " + std::to_string(ended.worker) + " ended: " + result.message);
  if (work.is_repair) return mending_.failed(result, work);
  result.log_tail = log_tail_of(store_.attempt_folder(attempt.piece, attempt.attempt), ended.log_tail);
  if (work.is_test) {
    incoming_.push_back({study::TestMeasured{std::move(result)}});
  } else {
    incoming_.push_back(
        {study::AttemptLost{attempt.piece, attempt.attempt, result.cause, result.message, result.log_tail}});
  }
}

void Loop::take(const executor::StrangerRefused& refused) {
  const std::string more = refused.count > 1 ? fmt::format(" (and {} before it)", refused.count - 1) : "";
  display_.line(fmt::format("refused a connection from {}{}: {}", refused.who, more, refused.reason));
}

void Loop::take(const executor::ControlAsked& asked) {
  Commanded commanded = commands_.answer(asked.request);
  const bool is_first = !ending_.has_begun();
  if (commanded.event) incoming_.push_back({std::move(*commanded.event)});
  if (commanded.remark) side_rows_.add(std::move(*commanded.remark));
  if (commanded.stops && is_first) incoming_.push_back({study::StopAsked{*commanded.stops}});
  if (commanded.stops) drain(Ending::By::person, *commanded.stops);
  if (commanded.hands_over) drain(Ending::By::successor, *commanded.hands_over);
  outbox_.reply(asked.client, std::move(commanded.reply));
}

Json Loop::status() const {
  Json json = {{"ok", true},
               {"study", spec_.name},
               {"state", ending_.has_begun() ? "ending" : "running"},
               {"trials", tally_.started()},
               {"running", dispatcher_.busy_workers()},
               {"workers", dispatcher_.workers()},
               {"waiting", dispatcher_.waiting()},
               {"hosts", blame_.to_json(clock_.now())},
               {"seconds", time_limits_.seconds_at(clock_.now())}};
  for (const auto state : {TrialState::completed, TrialState::pruned, TrialState::failed, TrialState::cancelled}) {
    json[std::string(trial::to_string(state))] = tally_.in(state);
  }
  if (const auto best = study_.best()) {
    json["best"] = trial::number_to_json(study_.trial(*best).objective.value_or(0));
    json["best_trial"] = best->value;
  }
  return json;
}

}  // namespace dlrun::driver
