// SPDX-License-Identifier: Apache-2.0
#include "executor/local_worker.hpp"
#include <csignal>

namespace dlrun::executor {

namespace {

constexpr std::chrono::seconds kReadingDeadline{5};  ///< from the end of a worker until its connection is given up

std::filesystem::path log_file(const LocalOptions& options, std::int64_t number) {
  return options.logs / (std::to_string(number) + ".log");
}

}  // namespace

LocalWorker::LocalWorker(boost::asio::io_context& loop, const LocalOptions& options,
                         const std::filesystem::path& socket, std::int64_t number, const Places& places)
    : Worker(options, number),
      gpu_(places.gpu),
      process_({options.binary, socket, log_file(options, number), number, places}),
      end_watch_(loop, process_.watch()) {
  watch_end();
}

WorkerReady LocalWorker::introduction() const {
  WorkerReady ready = Worker::introduction();
  ready.gpu = gpu_;
  return ready;
}

/// Waits for the end of the process. The kernel reports the end of each thread; only after the last one the process can
/// be reaped.
void LocalWorker::watch_end() {
  const auto handler = [this, life = std::weak_ptr<void>(life_)](boost::system::error_code fault) {
    if (fault || life.expired()) return;
    look();
    if (!ended_) watch_end();
  };
  end_watch_.async_wait(boost::asio::posix::stream_descriptor::wait_read, handler);
}

void LocalWorker::look() {
  if (!ended_ && process_.has_ended()) ended_ = Clock::now();
}

void LocalWorker::ask_to_end() {
  process_.signal(SIGTERM);
  process_.signal(SIGCONT);
}

void LocalWorker::make_end() { process_.signal(SIGKILL); }

bool LocalWorker::is_over() const {
  return has_ended() && (connection == nullptr || Clock::now() - *ended_ > kReadingDeadline);
}

}  // namespace dlrun::executor
