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

/// Notes an order, unless the worker came with it: such an order was noted then, and may have been answered since.
void RemoteWorker::note_order(const AttemptKey& attempt) {
  if (brought_.erase(attempt) == 0) Worker::note_order(attempt);
}

/// Restarts the clock of the piece, because transfers take nothing from its time.
std::optional<std::vector<protocol::Message>> RemoteWorker::carry(const protocol::Message& message) {
  if (!transfer_ || !Transfer::is_about(message)) return std::nullopt;
  begin_piece();
  return transfer_->take(message, open_orders());
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
  const std::vector<AttemptKey> open = unfinished();
  std::erase_if(orders_, [&](const protocol::Message& old) {
    return std::find(open.begin(), open.end(), *attempt_of(old)) == open.end();
  });
  if (attempt_of(message)) orders_.push_back(message);
  if (std::holds_alternative<protocol::Abandon>(message)) brought_.erase(*attempt_of(message));
  if (std::holds_alternative<protocol::Shutdown>(message)) is_told_to_end_ = true;
}

std::vector<protocol::Message> RemoteWorker::open_orders() const {
  const std::vector<AttemptKey> open = unfinished();
  std::vector<protocol::Message> out;
  for (const protocol::Message& order : orders_) {
    if (std::find(open.begin(), open.end(), *attempt_of(order)) != open.end()) out.push_back(order);
  }
  return out;
}

void RemoteWorker::look() {
  if (ended_) return;
  if (connection && silent_for() > options().lost_after) {
    connection->close();  // half open, maybe: it is for the worker to come back
    connection.reset();
  }
  if (!connection && silent_for() > grace()) {
    ended_ = {trial::Cause::worker_lost, fmt::format("it was not heard of for {:g} s", grace())};
  }
}

void RemoteWorker::lost_connection(const std::string&) {
  connection.reset();
  if (is_condemned() || is_told_to_end_) make_end();
}

void RemoteWorker::left(const std::string& reason) {
  has_left_ = true;
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
