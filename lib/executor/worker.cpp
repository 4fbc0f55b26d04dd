// SPDX-License-Identifier: Apache-2.0
#include "executor/worker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlrun::executor {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kReadyDeadline = 60;  ///< seconds from its start to its hello

double since(Worker::Clock::time_point moment) { return Seconds(Worker::Clock::now() - moment).count(); }

std::string seconds_text(double seconds) { return fmt::format("{:g} s", seconds); }

}  // namespace

void Worker::said_hello(const std::shared_ptr<Connection>& from) {
  connection = from;
  is_ready_ = true;
  was_heard();
}

void Worker::beat(std::int64_t steps) {
  if (steps != steps_) last_step_ = Clock::now();
  steps_ = steps;
}

void Worker::note_order(const AttemptKey& attempt) {
  if (unfinished_.empty()) begin_piece();
  unfinished_.push_back(attempt);
}

void Worker::finish_order(const AttemptKey& attempt) {
  std::erase(unfinished_, attempt);
  begin_piece();
}

double Worker::silent_for() const { return since(last_heard_); }

const std::string& Worker::host() const {
  static const std::string here;
  return here;
}

void Worker::lost_connection(const std::string& reason) {
  if (!reason.empty()) condemn({trial::Cause::worker_lost, "its connection broke: " + reason});
  connection.reset();
  // The worker is about to end by itself.
  must_end_by(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(options_.kill_grace)));
}

void Worker::condemn(const Ending& sentence) {
  if (sentence_ || has_ended()) return;
  sentence_ = sentence;
  ask_to_end();
  must_end_by(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(options_.kill_grace)));
}

void Worker::must_end_by(Clock::time_point moment) {
  if (!kill_at_ || moment < *kill_at_) kill_at_ = moment;
}

void Worker::watch() {
  look();
  if (has_ended()) return;
  if (kill_at_ && Clock::now() >= *kill_at_) make_end();
  if (!is_ready_ && since(started_) > kReadyDeadline) {
    condemn({trial::Cause::worker_lost, "the worker did not say hello within " + seconds_text(kReadyDeadline)});
  } else if (is_ready_ && silent_for() > silence_limit()) {
    condemn({trial::Cause::worker_lost, "no sign of life for " + seconds_text(silence_limit())});
  } else if (!unfinished_.empty()) {
    watch_piece();
  }
}

void Worker::watch_piece() {
  const double limit = options_.setup.time_limit;
  // Heartbeats count the steps: a worker that is silent altogether is lost, which is not its trial's fault.
  const double idle = Seconds(last_heard_ - last_step_).count();
  if (limit > 0 && since(piece_began_) > limit + options_.overtime) {
    condemn({trial::Cause::timeout,
             "took longer than its limit of " + seconds_text(limit) + " and did not stop when asked"});
  } else if (options_.hang_seconds > 0 && idle > options_.hang_seconds) {
    condemn({trial::Cause::timeout, "hangs: no step for " + seconds_text(options_.hang_seconds)});
  }
}

}  // namespace dlrun::executor
