// SPDX-License-Identifier: Apache-2.0
#include "worker/server.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <new>

#include "util/culprit.hpp"
#include "util/error.hpp"
#include "worker/sudden_end.hpp"

namespace dlrun::worker {

namespace {

constexpr int kTickMilliseconds = 100;
constexpr int kRetryMilliseconds = 500;     ///< between two tries to come back
constexpr std::chrono::seconds kHangUp{2};  ///< for the driver, after a goodbye

/// Resident set in bytes; 0 if unknown.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t whole = 0, resident = 0;
  return file >> whole >> resident ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

void complain(const std::string& fault) { std::fprintf(stderr, "dlrun-worker: %s\n", fault.c_str()); }

/// A worker of this machine ends with its driver; one that joined goes on, and says its results once more.
void write_to(Connection& connection, std::string_view frames, bool has_joined) {
  if (!connection.write(frames) && !has_joined) end_suddenly(0);
}

trial::WorkSetup with_key(trial::WorkSetup setup, const std::string& key) {
  setup.key = key;
  return setup;
}

}  // namespace

Server::Server(const Options& options)
    : options_(options),
      connection_(options_),
      welcome_(connection_.open({})),
      pulse_(welcome_.heartbeat, welcome_.lost_after, Clock::now()),
      link_(with_key(welcome_.setup, connection_.key()), {options.has_joined(), options.is_apart()},
            [&connection = connection_, has_joined = options.has_joined()](std::string_view frames) {
              write_to(connection, frames, has_joined);
            }),
      thread_([this] { serve(); }) {}

Server::~Server() {
  is_closing_ = true;
  connection_.shut_down();
  thread_.join();
}

/// Orders may have come with the welcome, so messages that are there are taken before anything is waited for.
void Server::serve() {
  bool is_readable = false;
  while (!is_closing_) {
    try {
      serve_once(is_readable);
    } catch (const Error& fault) {
      complain(fault.what());
      const bool is_outside = fault.kind() == ErrorKind::outside;
      if (!options_.has_joined()) end_suddenly(static_cast<int>(is_outside ? fault.kind() : ErrorKind::internal));
      connection_.note_broken();
    } catch (const std::bad_alloc&) {
      end_suddenly(static_cast<int>(ErrorKind::outside));
    }
    if (connection_.is_broken() && link_.note_hung_up()) return;
    if (connection_.is_broken() && !is_closing_) lose_driver();
    is_readable = wait();
  }
}

/// Messages are decoded without the link's lock, because the main thread waits for it between two short pieces.
void Server::serve_once(bool is_readable) {
  if (is_readable && connection_.receive()) pulse_.note_heard(Clock::now());
  link_.receive(connection_.messages());
  look_at_clock();
}

bool Server::wait() {
  pollfd items[] = {{connection_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
  const bool is_any = ::poll(items, 2, kTickMilliseconds) > 0;
  if (is_any && items[1].revents != 0) take_signal();
  return is_any && items[0].revents != 0;
}

/// The first signal asks a worker that joined by itself to save and leave.
void Server::take_signal() {
  const int number = signals_.next();
  ask_culprit();
  if (!options_.has_joined()) end_suddenly(128 + SIGTERM);
  if (!link_.ask_by_signal(number, Clock::now())) end_suddenly(128 + number);
}

/// A driver of this machine has ended, and so do its workers; another machine's may be there again soon.
void Server::lose_driver() {
  if (!options_.has_joined() || welcome_.grace <= 0) end_suddenly(0);
  connection_.shut_down();  // the main thread may be waiting to write
  come_back();
}

void Server::come_back() {
  std::fprintf(stderr, "dlrun-worker: the connection to the driver is lost; trying for %g s to come back\n",
               welcome_.grace);
  const auto grace = std::chrono::duration<double>(welcome_.grace);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(grace);
  std::string fault;
  while (!is_closing_ && Clock::now() < deadline) {
    if (try_to_come_back(fault)) return;
    if (signals_.wait(kRetryMilliseconds)) take_signal();
    if (link_.is_grace_over(Clock::now())) end_suddenly(0);
  }
  if (is_closing_) return;
  complain(fault);
  end_suddenly(static_cast<int>(ErrorKind::outside));
}

/// False: not yet, and why.
bool Server::try_to_come_back(std::string& fault) {
  try {
    const protocol::Welcome welcome = connection_.open(link_.held());
    pulse_.note_heard(Clock::now());
    link_.resume_with(welcome);
    return true;
  } catch (const Error& reason) {
    fault = reason.what();
    if (reason.kind() != ErrorKind::usage) return false;
    complain(fault);  // refused: it will not be otherwise the next time
    end_suddenly(reason.exit_code());
  }
}

/// The piece has not ended within the grace of a worker that was asked to end. The driver learns the reason, if it does
/// not know it, and has read it when it hangs up; else it would take the worker for lost.
void Server::leave_at_once() {
  try {
    const auto until = Clock::now() + kHangUp;
    pollfd item{connection_.descriptor(), POLLIN, 0};
    for (bool is_there = link_.say_goodbye(); is_there && Clock::now() < until;) {
      if (::poll(&item, 1, kTickMilliseconds) > 0) is_there = connection_.receive();
    }
  } catch (const Error&) {  // the connection broke
  }
  end_suddenly(0);
}

void Server::look_at_clock() {
  link_.send_telemetry();
  const auto now = Clock::now();
  if (pulse_.is_due(now)) {
    const std::string beat = protocol::encode(protocol::Heartbeat{link_.steps(), resident_bytes()});
    write_to(connection_, beat, options_.has_joined());
  }
  if (pulse_.is_silent(now)) connection_.note_broken();
  if (link_.is_grace_over(now)) leave_at_once();
  link_.stop_late_piece(now);
}

}  // namespace dlrun::worker
