// SPDX-License-Identifier: Apache-2.0
#include "executor/remote_worker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlrun::executor {

namespace {

std::optional<AttemptKey> attempt_of(const protocol::Message& message) {
  if (const auto* assign = std::get_if<protocol::Assign>(&message)) return {{assign->order.key, assign->order.attempt}};
  if (const auto* abandon = std::get_if<protocol::Abandon>(&message)) return {{abandon->key, abandon->attempt}};
  return std::nullopt;
}

}  // namespace

RemoteWorker::RemoteWorker(const HubOptions& options, std::int64_t number, const protocol::Hello& hello)
    : Worker(options, number), session_(hello.session), pid_(hello.pid), host_(hello.host), job_(hello.job) {
  if (hello.is_apart) transfer_.emplace(options, number);
  for (const protocol::Held& held : hello.holds) {
    const AttemptKey attempt{held.key, held.attempt};
    if (brought_.insert(attempt).second) Worker::note_order(attempt);
  }
}

void RemoteWorker::complete(protocol::Welcome& words) const {
  if (!options().network) return;
  words.lost_after = options().lost_after;
  words.grace = options().network->grace;
}

WorkerReady RemoteWorker::introduction() const {
  WorkerReady ready = Worker::introduction();
  ready.has_joined = true;
  ready.is_apart = transfer_.has_value();
  return ready;
}

/// The answer tells the worker that the driver is there. It is left out if the worker has not read earlier messages,
/// because answers would pile up.
void RemoteWorker::beat(std::int64_t steps) {
  Worker::beat(steps);
  if (!connection || connection->unwritten() > 0) return;
  connection->send(protocol::Heartbeat{});
  connection->flush();
}

/// Orders that it came with count since then: they may have been answered already.
void RemoteWorker::note_order(const AttemptKey& attempt) {
  if (brought_.erase(attempt) == 0) Worker::note_order(attempt);
}

/// The time of a transfer is no part of the time that the piece may take.
std::optional<std::vector<protocol::Message>> RemoteWorker::carry(const protocol::Message& message) {
  if (!transfer_ || !Transfer::is_about(message)) return std::nullopt;
  work.restart_clock(Clock::now());
  return transfer_->handle(message, open_orders());
}

void RemoteWorker::examine(trial::PieceResult& result) const {
  const std::string missing = transfer_ ? transfer_->missing_of(result) : std::string();
  if (missing.empty()) return;
  trial::PieceResult lost{.key = result.key, .attempt = result.attempt, .outcome = trial::Outcome::failed};
  lost.cause = trial::Cause::worker_lost;
  lost.message = "its worker did not hand over " + missing;
  result = std::move(lost);
}

void RemoteWorker::note_sent(const protocol::Message& message) {
  std::erase_if(orders_, [&](const protocol::Message& old) { return !work.has(*attempt_of(old)); });
  if (attempt_of(message)) orders_.push_back(message);
  if (std::holds_alternative<protocol::Abandon>(message)) brought_.erase(*attempt_of(message));
  if (std::holds_alternative<protocol::Shutdown>(message)) is_told_to_end_ = true;
}

std::vector<protocol::Message> RemoteWorker::open_orders() const {
  std::vector<protocol::Message> open;
  for (const protocol::Message& order : orders_) {
    if (work.has(*attempt_of(order))) open.push_back(order);
  }
  return open;
}

void RemoteWorker::look() {
  if (ended_) return;
  const double silence = signs.silent_for(Clock::now());
  if (connection && silence > options().lost_after) {
    connection->close();  // half open, maybe: it is for the worker to come back
    connection.reset();
  }
  if (!connection && silence > grace()) {
    ended_ = {trial::Cause::worker_lost, fmt::format("it was not heard of for {:g} s", grace())};
  }
}

void RemoteWorker::lost_connection(const std::string&) {
  connection.reset();
  if (sentence.reason() || is_told_to_end_) make_end();
}

void RemoteWorker::left(const std::string& reason) {
  is_leaving = true;
  ended_ = {trial::Cause::preempted, "it left: " + reason};
}

void RemoteWorker::ask_to_end() {
  if (!connection) return;
  connection->send(protocol::Shutdown{options().kill_grace});
  connection->flush();
}

void RemoteWorker::make_end() {
  if (connection) connection->close();
  connection.reset();
  if (!ended_) ended_ = {trial::Cause::worker_lost, "its connection was closed"};
}

}  // namespace dlrun::executor
