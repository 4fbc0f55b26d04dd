// SPDX-License-Identifier: Apache-2.0
#include "seen_by_driver.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "protocol/payload.hpp"

namespace dlrun::driver_sim {

std::function<void(const std::string&)> trace;

namespace {

constexpr int kMostWaits = 20'000;  ///< of one driver, at most 200 ms each

void tell(const Timeline& timeline, const std::string& text) {
  const double now = std::chrono::duration<double>(timeline.now().time_since_epoch()).count() - 3600;
  if (trace) trace(fmt::format("{:8.3f} {}", now, text));
}

std::string name_of(const trial::PieceKey& key, int attempt) {
  return fmt::format("{}, piece {}, attempt {}", trial::describe(key.member), key.piece, attempt);
}

struct TextOfHappening {
  std::string operator()(const executor::WorkerReady& ready) const {
    return fmt::format("worker {} is ready, holds {}", ready.worker, ready.holds.size());
  }
  std::string operator()(const executor::WorkerEnded& ended) const {
    return fmt::format("worker {} ended: {}", ended.worker, ended.message);
  }
  std::string operator()(const executor::WorkerLeaves& leaves) const {
    return fmt::format("worker {} leaves", leaves.worker);
  }
  std::string operator()(const executor::ResultCame& came) const {
    const trial::PieceResult& r = came.result;
    return fmt::format("from {}: {} {} {}", came.worker, name_of(r.key, r.attempt), trial::to_string(r.outcome),
                       trial::to_string(r.cause));
  }
  std::string operator()(const executor::ControlAsked& asked) const { return "a person: " + asked.request.dump(); }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

/// Kind of a message to a worker, and its payload as it would be sent.
std::string text_of(const protocol::Message& message) {
  constexpr std::size_t kHeader = 9;
  return fmt::format("{} {}", protocol::type_name(protocol::type_of(message)),
                     protocol::encode(message).substr(kHeader));
}

}  // namespace

Time SimClock::now() const {
  fate_.pass();
  return timeline_.now();
}

std::vector<executor::Happening> SimExecutor::wait(std::chrono::milliseconds most) {
  fate_.pass();
  if (++waits_ > kMostWaits) throw std::runtime_error("a driver waits for ever\n" + machines_.describe());
  timeline_.pass(timeline_.now() + most, [this] { return machines_.has_happenings(); });
  auto happenings = machines_.take_happenings();
  for (const auto& happening : happenings) {
    const std::string text = std::visit(TextOfHappening(), happening);
    if (!text.empty()) tell(timeline_, text);
  }
  return happenings;
}

void SimExecutor::send(std::int64_t worker, const protocol::Message& message) {
  fate_.pass();
  if (trace) tell(timeline_, fmt::format("to {}: {}", worker, text_of(message)));
  machines_.deliver(worker, message);
}

void SimExecutor::answer(std::int64_t client, const Json& reply) {
  fate_.pass();
  tell(timeline_, fmt::format("to client {}: {}", client, reply.dump()));
}

void SimExecutor::need(int workers) {
  if (std::exchange(needed_, workers) != workers) tell(timeline_, fmt::format("needs {} workers", workers));
}

void SimExecutor::shut_down(std::chrono::milliseconds grace) {
  fate_.pass();
  machines_.shut_down(grace);
}

}  // namespace dlrun::driver_sim
