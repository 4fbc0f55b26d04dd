// SPDX-License-Identifier: Apache-2.0
#include "worker/outgoing.hpp"

#include <utility>

#include "util/error.hpp"

namespace dlrun::worker {

namespace {

constexpr std::size_t kMostSteps = 1000;  ///< reports of steps in a message: below 1 MiB with twenty metrics each

/// Frame of an epoch's telemetry; empty if it is too long: the result has it, too.
std::string telemetry_frame(const protocol::Reported& reported) {
  try {
    return protocol::encode(reported);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

bool Outgoing::add_step(const trial::Report& report) {
  steps_.push_back(report);
  return steps_.size() >= kMostSteps;
}

std::string Outgoing::take_steps(const std::optional<Attempt>& piece) {
  if (steps_.empty() || !piece) return {};
  return protocol::encode(protocol::Watched{piece->key, piece->attempt, std::exchange(steps_, {})});
}

std::string Outgoing::take_telemetry(const std::optional<Attempt>& piece) {
  std::string frames;
  for (const trial::Report& report : std::exchange(reports_, {})) {
    if (piece) frames += telemetry_frame({piece->key, piece->attempt, report});
  }
  return frames + take_steps(piece);
}

void Outgoing::drop_telemetry() {
  reports_.clear();
  steps_.clear();
}

void Outgoing::keep_prepared(const std::string& frame) {
  if (may_repeat_) prepared_ = frame;
}

void Outgoing::keep_result(const Attempt& attempt, const std::string& frame) {
  results_[attempt] = may_repeat_ ? frame : std::string();
}

std::vector<Attempt> Outgoing::unacknowledged() const {
  std::vector<Attempt> all;
  for (const auto& [attempt, frame] : results_) all.push_back(attempt);
  return all;
}

std::string Outgoing::kept() const {
  std::string frames = prepared_;
  for (const auto& [attempt, frame] : results_) frames += frame;
  return frames;
}

std::string frame_of(const trial::PieceResult& result) {
  try {
    return protocol::encode(protocol::Result{result});
  } catch (const Error& fault) {
    trial::PieceResult failed{.key = result.key, .attempt = result.attempt, .outcome = trial::Outcome::failed};
    failed.cause = trial::Cause::exception;
    failed.message = std::string("too much was reported: ") + fault.what();
    return protocol::encode(protocol::Result{failed});
  }
}

}  // namespace dlrun::worker
