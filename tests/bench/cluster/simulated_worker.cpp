// SPDX-License-Identifier: Apache-2.0
#include "simulated_worker.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "util/error.hpp"
#include "util/version.hpp"
#include "worker/function_runner.hpp"

namespace dlrun::cluster {

namespace {

constexpr double kTick = 0.1;  ///< telemetry leaves in groups, as a worker's does

/// What is computed at once is told when its time has come.
struct Silence final : trial::Host {
  void report(const trial::Report&) override {}
  void step() override {}
  bool is_stopping() const override { return false; }
  void log(const std::string&) override {}
};

}  // namespace

std::string SimulatedWorker::hello(const std::string& token) const {
  protocol::Hello hello{.version = version(), .role = "worker", .pid = 1 + number_, .host = "simulated"};
  hello.session = "simulated-" + std::to_string(number_);
  hello.token = token;
  return protocol::encode(hello);
}

void SimulatedWorker::handle(protocol::Message message, double now) {
  if (auto* assign = std::get_if<protocol::Assign>(&message)) {
    ++figures_.orders;
    is_answered(now);
    orders_.push_back(std::move(assign->order));
    if (orders_.size() == 1) begin(now);
  } else if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
    acknowledge({ack->key, ack->attempt}, now);
  } else if (const auto* fenced = std::get_if<protocol::Fenced>(&message)) {
    ++figures_.fenced;
    acknowledge({fenced->key, fenced->attempt}, now);
  } else if (const auto* welcome = std::get_if<protocol::Welcome>(&message)) {
    is_welcome_ = true;
    runner_ = worker::make_function_runner(welcome->setup);
    heartbeat_ = welcome->heartbeat;
    next_heartbeat_ = now + heartbeat_;
  } else if (const auto* refused = std::get_if<protocol::Refused>(&message)) {
    throw Error(ErrorKind::outside, "refused: " + refused->reason);
  } else if (std::holds_alternative<protocol::Shutdown>(message)) {
    is_ending_ = true;
    orders_.clear();
  }
}

void SimulatedWorker::begin(double now) {
  Silence silence;
  result_ = runner_->run(orders_.front(), silence);
  begun_ = now;
  reported_ = 0;
  next_tick_ = now + kTick;
}

void SimulatedWorker::acknowledge(const Attempt& attempt, double now) {
  const auto found = unacknowledged_.find(attempt);
  if (found == unacknowledged_.end()) throw Error(ErrorKind::outside, "acknowledged what was not said");
  figures_.acknowledged.push_back(now - found->second);
  unacknowledged_.erase(found);
  is_answered(now);
}

void SimulatedWorker::is_answered(double now) {
  if (unanswered_) figures_.answered.push_back(now - *unanswered_);
  unanswered_.reset();
}

double SimulatedWorker::due() const {
  if (!is_welcome_) return std::numeric_limits<double>::infinity();
  return orders_.empty() ? next_heartbeat_ : std::min({end(), next_tick_, next_heartbeat_});
}

std::string SimulatedWorker::act(double now) {
  std::string frames;
  if (now >= next_heartbeat_) {
    frames += protocol::encode(protocol::Heartbeat{steps_, 100 << 20});
    next_heartbeat_ = now + heartbeat_;
  }
  if (orders_.empty()) return frames;
  if (now >= end()) return frames + finish(now);
  if (now < next_tick_) return frames;
  next_tick_ = now + kTick;
  return frames + report_until(now);
}

std::string SimulatedWorker::report_until(double now) {
  const trial::PieceOrder& order = orders_.front();
  const auto done = std::min(std::size_t((now - begun_) / figures_.epoch), result_.reports.size());
  std::string frames;
  for (; reported_ < done; ++reported_, ++steps_) {
    frames += protocol::encode(protocol::Reported{order.key, order.attempt, result_.reports[reported_]});
    ++figures_.reports;
  }
  return frames;
}

std::string SimulatedWorker::finish(double now) {
  result_.seconds = now - begun_;
  ++steps_;
  ++figures_.results;
  figures_.busy += result_.seconds;
  unacknowledged_[{result_.key, result_.attempt}] = now;
  unanswered_ = now;
  std::string frame = protocol::encode(protocol::Result{std::move(result_)});
  orders_.pop_front();
  if (!orders_.empty()) begin(now);
  return frame;
}

}  // namespace dlrun::cluster
