// SPDX-License-Identifier: Apache-2.0
#include "worker/link.hpp"

#include <utility>

#include "util/error.hpp"

namespace dlrun::worker {

namespace {

constexpr std::chrono::seconds kFarewell{5};  ///< for the driver to hang up on a worker that leaves

bool is_of_artifacts(const protocol::Message& message) {
  return std::holds_alternative<protocol::Offer>(message) || std::holds_alternative<protocol::Want>(message) ||
         std::holds_alternative<protocol::Chunk>(message) || std::holds_alternative<protocol::Stored>(message);
}

}  // namespace

Link::Link(trial::WorkSetup setup, Options options, Write write)
    : setup_(std::move(setup)),
      options_(options),
      write_(std::move(write)),
      orders_(options.has_joined),
      outgoing_(options.has_joined),
      limit_(setup_.time_limit) {}

std::optional<trial::PieceOrder> Link::next(const std::function<void(trial::TrialId)>& ended) {
  std::unique_lock lock(mutex_);
  orders_.finish();
  const auto has_order = [&] { return !orders_.is_empty() || farewell_.is_asked(); };
  while (!has_order() || !ended_.empty()) {
    changed_.wait(lock, [&] { return has_order() || !ended_.empty(); });
    const auto trials = std::exchange(ended_, {});
    lock.unlock();
    for (const trial::TrialId trial : trials) {
      if (ended) ended(trial);
    }
    lock.lock();
  }
  if (farewell_.is_asked()) return std::nullopt;
  limit_.begin(Clock::now());
  mail_.clear();
  return orders_.begin();
}

void Link::report(const trial::Report& report) {
  const std::lock_guard lock(mutex_);
  outgoing_.add(report);
}

void Link::step_report(const trial::Report& report) {
  const std::lock_guard lock(mutex_);
  if (outgoing_.add_step(report)) write_(outgoing_.take_steps(orders_.current()));
}

void Link::gang_report(const trial::GangReport& report) {
  const std::lock_guard lock(mutex_);
  const std::optional<Attempt> piece = orders_.current();
  if (piece) write_(protocol::encode(protocol::Watched{piece->key, piece->attempt, {}, {report}}));
}

void Link::send(trial::Runtime runtime) {
  const std::string frame = protocol::encode(protocol::Prepared{std::move(runtime)});
  {
    const std::lock_guard lock(mutex_);
    outgoing_.keep_prepared(frame);
  }
  write_(frame);
}

void Link::send(const trial::PieceResult& result) {
  {
    const std::lock_guard lock(mutex_);
    outgoing_.drop_reports();
    write_(outgoing_.take_steps(orders_.current()));
  }
  const std::string frame = frame_of(result);
  {
    const std::lock_guard lock(mutex_);
    outgoing_.keep_result({result.key, result.attempt}, frame);
  }
  write_(frame);
}

void Link::say(const protocol::Message& message) {
  {
    const std::lock_guard lock(mutex_);
    if (orders_.is_unsettled()) return;
  }
  write_(protocol::encode(message));
}

std::optional<protocol::Message> Link::hear(bool is_done) {
  std::unique_lock lock(mutex_);
  const auto should_end = [&] {
    return is_done ? stop_reason() == StopReason::abandoned : stop_reason() != StopReason::none;
  };
  changed_.wait(lock, [&] { return should_end() || !mail_.empty(); });
  if (should_end()) return std::nullopt;
  protocol::Message message = std::move(mail_.front());
  mail_.pop_front();
  return message;
}

void Link::count_time(bool does_count) {
  const std::lock_guard lock(mutex_);
  does_count ? limit_.begin(Clock::now()) : limit_.pause();
}

void Link::wait_for_acks() {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, farewell_.end().value_or(Clock::now()), [&] { return outgoing_.unacknowledged().empty(); });
}

bool Link::say_goodbye() {
  std::string frame;
  {
    const std::lock_guard lock(mutex_);
    if (farewell_.reason().empty()) return false;
    farewell_.note_said();
    frame = protocol::encode(protocol::Leave{farewell_.reason()});
  }
  write_(frame);
  return true;
}

/// Ends when the driver has hung up: bytes that it sends to a closed socket would reset the connection before it reads
/// that this worker leaves.
void Link::leave() {
  if (!say_goodbye()) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kFarewell, [&] { return farewell_.is_heard(); });
}

void Link::receive(std::vector<protocol::Message> messages) {
  if (messages.empty()) return;
  const std::lock_guard lock(mutex_);
  for (protocol::Message& message : messages) receive_one(std::move(message));
  changed_.notify_all();
}

/// REQUIRES: mutex_ is held; so with all that follow.
void Link::receive_one(protocol::Message message) {
  if (auto* assign = std::get_if<protocol::Assign>(&message)) {
    add_order(std::move(assign->order));
  } else if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
    outgoing_.forget({ack->key, ack->attempt});
  } else if (const auto* fenced = std::get_if<protocol::Fenced>(&message)) {
    outgoing_.forget({fenced->key, fenced->attempt});
  } else if (const auto* abandon = std::get_if<protocol::Abandon>(&message)) {
    settle({abandon->key, abandon->attempt});
    orders_.abandon({abandon->key, abandon->attempt});
  } else if (const auto* over = std::get_if<protocol::EndTrial>(&message)) {
    ended_.push_back(over->trial);
  } else if (const auto* shutdown = std::get_if<protocol::Shutdown>(&message)) {
    farewell_.ask(shutdown->grace, Clock::now());
    orders_.stop(StopReason::shutdown);
  } else if (is_apart() && is_of_artifacts(message)) {
    mail_.push_back(std::move(message));
  } else if (!std::holds_alternative<protocol::Heartbeat>(message)) {
    throw Error(ErrorKind::usage, "the driver sent a message that is not for workers");
  }
}

/// An order whose result waits for its acknowledgement came again with another connection.
void Link::add_order(trial::PieceOrder order) {
  const Attempt attempt{order.key, order.attempt};
  settle(attempt);
  if (!options_.has_joined || !outgoing_.has_result(attempt)) orders_.add(std::move(order));
}

/// The driver has assigned or abandoned an order: from now on it answers questions about it.
void Link::settle(const Attempt& attempt) {
  if (orders_.settle(attempt)) mail_.emplace_back(protocol::Welcome());
}

void Link::send_telemetry() {
  const std::lock_guard lock(mutex_);
  write_(outgoing_.take_telemetry(orders_.current()));
}

void Link::stop_late_piece(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (orders_.current() && limit_.is_over(now)) orders_.stop(StopReason::timeout);
}

bool Link::is_grace_over(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  return farewell_.is_over(now);
}

bool Link::ask_by_signal(int number, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!farewell_.ask_by_signal(number, now)) return false;
  orders_.stop(StopReason::shutdown);
  changed_.notify_all();
  return true;
}

bool Link::note_hung_up() {
  const std::lock_guard lock(mutex_);
  const bool is_end = farewell_.note_hung_up();
  changed_.notify_all();
  return is_end;
}

std::vector<Attempt> Link::held() {
  const std::lock_guard lock(mutex_);
  std::vector<Attempt> all = farewell_.is_asked() ? std::vector<Attempt>() : orders_.held();
  for (const Attempt& attempt : outgoing_.unacknowledged()) {
    if (all.empty() || all.front() != attempt) all.push_back(attempt);
  }
  if (all.size() > protocol::kMostHeld) all.resize(protocol::kMostHeld);
  return all;
}

void Link::resume_with(const protocol::Welcome& welcome) {
  std::string frames;
  {
    const std::lock_guard lock(mutex_);
    frames = outgoing_.kept();
    mail_.clear();
    welcome.is_back ? orders_.keep_all() : orders_.give_up_all();
    if (!welcome.is_back) outgoing_.drop_telemetry();
    if (!welcome.is_back) mail_.emplace_back(protocol::Welcome());
    changed_.notify_all();
  }
  write_(frames);
}

}  // namespace dlrun::worker
