// SPDX-License-Identifier: Apache-2.0
#include "executor/local_worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace dlrun::executor {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kReadyDeadline = 60;   ///< seconds from its start to its hello
constexpr double kReadingDeadline = 5;  ///< seconds from its end until its connection is given up

double since(LocalWorker::Clock::time_point moment) { return Seconds(LocalWorker::Clock::now() - moment).count(); }

std::string seconds_text(double seconds) { return fmt::format("{:g} s", seconds); }

std::filesystem::path log_file(const LocalOptions& options, std::int64_t number) {
  return options.logs / (std::to_string(number) + ".log");
}

}  // namespace

LocalWorker::LocalWorker(boost::asio::io_context& loop, const LocalOptions& options,
                         const std::filesystem::path& socket, std::int64_t number, const Places& places)
    : options_(options),
      number_(number),
      process_({options.binary, socket, log_file(options, number), number, places}),
      end_watch_(loop, ::fcntl(process_.pidfd(), F_DUPFD_CLOEXEC, 0)) {
  watch_end();
}

/// The kernel says it for each thread of the process; only after the last one it can be reaped.
void LocalWorker::watch_end() {
  end_watch_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code fault) {
    if (!fault && !process_.has_ended()) watch_end();
  });
}

void LocalWorker::said_hello(const std::shared_ptr<Connection>& from) {
  connection = from;
  is_ready_ = true;
  was_heard();
}

void LocalWorker::beat(std::int64_t steps) {
  if (steps != steps_) last_step_ = Clock::now();
  steps_ = steps;
}

void LocalWorker::note_order(const AttemptKey& attempt) {
  if (unfinished_.empty()) begin_piece();
  unfinished_.push_back(attempt);
}

void LocalWorker::finish_order(const AttemptKey& attempt) {
  std::erase(unfinished_, attempt);
  begin_piece();
}

void LocalWorker::condemn(const Ending& sentence) {
  if (sentence_ || has_ended()) return;
  sentence_ = sentence;
  process_.signal(SIGTERM);
  process_.signal(SIGCONT);
  must_end_by(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(options_.kill_grace)));
}

void LocalWorker::must_end_by(Clock::time_point moment) {
  if (!kill_at_ || moment < *kill_at_) kill_at_ = moment;
}

void LocalWorker::watch() {
  if (has_ended()) return;
  if (process_.has_ended()) {
    ended_ = Clock::now();
    return;
  }
  if (kill_at_ && Clock::now() >= *kill_at_) process_.signal(SIGKILL);
  if (!is_ready_ && since(started_) > kReadyDeadline) {
    condemn({trial::Cause::worker_lost, "the worker did not say hello within " + seconds_text(kReadyDeadline)});
  } else if (is_ready_ && since(last_heard_) > options_.lost_after) {
    condemn({trial::Cause::worker_lost, "no sign of life for " + seconds_text(options_.lost_after)});
  } else if (!unfinished_.empty()) {
    watch_piece();
  }
}

void LocalWorker::watch_piece() {
  const double limit = options_.setup.time_limit;
  // Said by its heartbeats: a worker that is silent altogether is lost, which is not its trial's fault.
  const double idle = Seconds(last_heard_ - last_step_).count();
  if (limit > 0 && since(piece_began_) > limit + options_.overtime) {
    condemn({trial::Cause::timeout,
             "took longer than its limit of " + seconds_text(limit) + " and did not stop when asked"});
  } else if (options_.hang_seconds > 0 && idle > options_.hang_seconds) {
    condemn({trial::Cause::timeout, "hangs: no step for " + seconds_text(options_.hang_seconds)});
  }
}

bool LocalWorker::is_over() const {
  return has_ended() && (connection == nullptr || since(*ended_) > kReadingDeadline);
}

}  // namespace dlrun::executor
