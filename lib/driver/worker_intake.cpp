// SPDX-License-Identifier: Apache-2.0
#include "driver/worker_intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "driver/environment.hpp"

namespace dlrun::driver {

namespace {

std::string name_of(const executor::AttemptKey& attempt) {
  return fmt::format("{}, attempt {}", trial::describe(attempt.piece.member), attempt.attempt);
}

/// Log of an attempt whose worker could not send it: the end of its file, then the last lines that the worker printed.
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

void WorkerIntake::handle(const executor::WorkerReady& ready) {
  parts_.side_rows.add(WorkerRow{ready.worker, ready.pid, ready.host, ready.has_joined ? "joined" : "running"});
  if (ready.is_apart) parts_.placing.set_apart(ready.worker);
  if (ready.has_joined) {
    parts_.display.line(
        fmt::format("worker {} joined from {}{}", ready.worker, ready.host,
                    ready.is_apart ? "; it does not see the store, artifacts travel through this driver" : ""));
  }
  parts_.dispatcher.worker_ready(ready.worker, ready.host);
  parts_.blame.worker_ready(ready.worker, ready.host);
  if (ready.host == host_name()) parts_.metering.worker_ready(ready.worker, ready.gpu);
  for (const executor::AttemptKey& attempt : ready.holds) adopt(ready.worker, attempt);
}

/// The worker holds an attempt that another driver assigned: it continues the attempt if that is still wanted.
void WorkerIntake::adopt(std::int64_t worker, const executor::AttemptKey& attempt) {
  const auto work = claim(attempt);
  if (!work) return parts_.executor.send(worker, protocol::Abandon{attempt.piece, attempt.attempt});
  parts_.display.line(fmt::format("{}: worker {} goes on with it", name_of(attempt), worker));
  parts_.placing.go_on({worker, *work});
}

/// Work that waits for the worker that holds it, or for any worker.
std::optional<Work> WorkerIntake::claim(const executor::AttemptKey& attempt) {
  if (parts_.ending.has_begun()) return std::nullopt;
  if (auto piece = parts_.adoption.claim(attempt)) return Work{std::move(*piece)};
  return parts_.dispatcher.take_waiting(attempt);
}

void WorkerIntake::handle(executor::WorkerPrepared& prepared) {
  if (prepared.runtime == trial::Runtime()) return let_fail();
  const std::string& warning = prepared.runtime.warning;
  if (!warning.empty() && warning != told_of_runtime_) parts_.display.line("warning: " + (told_of_runtime_ = warning));
  for (const study::StartPiece& piece : parts_.citing.learn(prepared.runtime.numerics))
    parts_.mending.queue(parts_.retrying.as_known({piece}));
  parts_.dispatcher.worker_computes(prepared.worker, prepared.runtime.numerics);
  parts_.side_rows.add(RuntimeRow{prepared.worker, std::move(prepared.runtime)});
}

/// A worker whose runner could not be made says why with its first piece, which waits for another's numerics.
void WorkerIntake::let_fail() {
  if (auto piece = parts_.citing.give_up_one()) parts_.mending.queue(parts_.retrying.as_known({std::move(*piece)}));
}

/// Work that waits at the worker goes to others. The piece that it runs either ends before the worker or is lost then.
void WorkerIntake::handle(const executor::WorkerLeaves& leaves) {
  parts_.blame.worker_leaves(leaves.worker);
  const auto waiting = parts_.dispatcher.worker_leaves(leaves.worker);
  for (auto work = waiting.rbegin(); work != waiting.rend(); ++work) parts_.dispatcher.put_back(*work);
}

void WorkerIntake::handle(const executor::WorkerEnded& ended) {
  const bool had_company = parts_.dispatcher.had_company(ended.worker);
  const auto held = parts_.dispatcher.worker_ended(ended.worker);
  clear(ended, held);
  tell_end(ended, !held.empty());
  if (parts_.ending.has_begun()) return;
  if (parts_.only_joined && parts_.executor.alive() == 0)
    parts_.display.line("no worker is left; waiting for one to join");
  put_back_waiting(held);
  if (!held.empty()) lose(held.front(), ended, had_company);
  parts_.blame.worker_ended(ended.worker);
}

/// None of its work is under way any more.
void WorkerIntake::clear(const executor::WorkerEnded& ended, const std::vector<Work>& held) {
  const std::string host = ended.host.empty() ? host_name() : ended.host;
  parts_.side_rows.add(WorkerRow{ended.worker, ended.pid, host, ended.is_expected ? "ended" : "lost"});
  if (!held.empty()) parts_.metering.ended(ended.worker, held.front(), 0);
  for (const Work& work : held) {
    if (work.is_repair) continue;
    parts_.stragglers.forget(work.attempt());
    parts_.stages.end(work.piece.key, work.piece.attempt, false);
  }
}

void WorkerIntake::tell_end(const executor::WorkerEnded& ended, bool had_work) {
  const bool has_left_early = !ended.host.empty() && !parts_.ending.has_begun();
  if (had_work || (ended.is_expected && !has_left_early)) return;
  parts_.display.line(fmt::format("worker {} ended without work: {}", ended.worker, ended.message));
}

/// Pieces that waited behind the first never began and keep their attempt, unless they were cancelled meanwhile.
void WorkerIntake::put_back_waiting(const std::vector<Work>& held) {
  for (std::size_t i = held.size(); i-- > 1;) {
    const Work& work = held[i];
    const bool is_wanted = work.is_beside() || parts_.study.is_current(work.piece.key, work.piece.attempt);
    if (is_wanted) parts_.dispatcher.put_back(work);
  }
}

/// The worker ended while it ran this.
void WorkerIntake::lose(const Work& work, const executor::WorkerEnded& ended, bool had_company) {
  const executor::AttemptKey attempt = work.attempt();
  trial::PieceResult result{.key = attempt.piece, .attempt = attempt.attempt};
  result.outcome = trial::Outcome::failed;
  result.cause = ended.cause;
  result.message = ended.message;
  parts_.judging.judge_loss(ended.worker, result, had_company);
  parts_.display.line(fmt::format("{}: its worker {} ended: {}", name_of(attempt), ended.worker, result.message));
  if (work.is_repair) return parts_.mending.failed(result, work);
  result.log_tail =
      log_tail_of(parts_.store.artifacts().attempt_folder(attempt.piece, attempt.attempt), ended.log_tail);
  if (work.is_test) {
    parts_.incoming.push_back({study::TestMeasured{std::move(result)}});
  } else {
    parts_.incoming.push_back(
        {study::AttemptLost{attempt.piece, attempt.attempt, result.cause, result.message, result.log_tail}});
  }
}

}  // namespace dlrun::driver
