// SPDX-License-Identifier: Apache-2.0
#include "executor/worker.hpp"

#include <fmt/format.h>

#include "util/culprit.hpp"

namespace dlrun::executor {

namespace {

constexpr double kReadyDeadline = 60;  ///< seconds from its start to its hello

Worker::Clock::time_point after(double seconds) {
  return Worker::Clock::now() +
         std::chrono::duration_cast<Worker::Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void Worker::said_hello(const std::shared_ptr<Connection>& from) {
  connection = from;
  signs.hear_hello(Clock::now());
}

WorkerReady Worker::introduction() const {
  WorkerReady ready;
  ready.worker = number_;
  ready.pid = pid();
  return ready;
}

const std::string& Worker::host() const {
  static const std::string here;
  return here;
}

const std::string& Worker::job() const {
  static const std::string none;
  return none;
}

void Worker::lost_connection(const std::string& reason) {
  if (!reason.empty()) condemn({trial::Cause::worker_lost, "its connection broke: " + reason});
  connection.reset();
  sentence.end_by(after(options_.kill_grace));  // about to end by itself
}

void Worker::condemn(const Ending& reason) {
  if (has_ended() || !sentence.pass(reason)) return;
  ask_to_end();
  sentence.end_by(after(options_.kill_grace));
}

Ending Worker::ending() const {
  if (!sentence.reason()) return natural_ending();
  Ending ending = *sentence.reason();
  if (ending.cause == trial::Cause::timeout) ending.message += culprit_in(log_tail());
  return ending;
}

void Worker::watch() {
  look();
  if (has_ended()) return;
  const auto now = Clock::now();
  if (sentence.is_due(now)) make_end();
  const double limit = signs.is_ready() ? silence_limit() : kReadyDeadline;
  if (!signs.is_ready() && signs.age(now) > limit) {
    condemn({trial::Cause::worker_lost, fmt::format("the worker did not say hello within {:g} s", limit)});
  } else if (signs.is_ready() && signs.silent_for(now) > limit) {
    condemn({trial::Cause::worker_lost, fmt::format("no sign of life for {:g} s", limit)});
  } else if (const auto reason = connection ? work.overrun(options_, signs.last(), now) : std::nullopt) {
    condemn(*reason);
  }
}

}  // namespace dlrun::executor
