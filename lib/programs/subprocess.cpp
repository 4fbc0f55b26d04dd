// SPDX-License-Identifier: Apache-2.0
#include "programs/subprocess.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "programs/descendants.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/processes.hpp"

namespace dlrun::programs {

namespace {

/// Output of grandchildren that keep a pipe open is read for this long after the program itself has ended.
constexpr std::chrono::milliseconds kLinger{500};

/// Milliseconds in which a program that was sent SIGSTOP stands still, or what it left has ended.
constexpr int kMostNaps = 100;

/// A program whose end no descriptor tells is looked at this often.
constexpr std::chrono::milliseconds kBlind{50};

/// Descendants of this process before a program is started.
std::set<pid_t> others() {
  if (auto all = descendants()) return std::move(*all);
  throw Error(ErrorKind::outside, "cannot list the processes of this one: too few descriptors or too little memory");
}

}  // namespace

void LineCutter::feed(std::string_view bytes, const std::function<void(std::string_view)>& line) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    add(part);
    if (newline == std::string_view::npos) return;
    line(pending_);
    end_line();
    bytes.remove_prefix(newline + 1);
  }
}

void LineCutter::finish(const std::function<void(std::string_view)>& line) {
  if (!pending_.empty()) line(pending_);
  end_line();
}

/// A return at the end of a part overwrites nothing yet: a newline may follow.
void LineCutter::add(std::string_view part) {
  if (part.empty()) return;
  if (pending_.size() + part.size() > kLimit) {
    const std::size_t last = part.substr(0, part.size() - 1).rfind('\r');
    const bool is_overwritten = ends_in_return_ || last != std::string_view::npos;
    if (is_overwritten) end_line();
    part.remove_prefix(last + 1);  // npos + 1 is 0
  }
  ends_in_return_ = part.ends_with('\r');
  if (!is_skipping_) pending_ += part.substr(0, kLimit - pending_.size());
  is_skipping_ = pending_.size() >= kLimit;
}

void LineCutter::end_line() {
  pending_.clear();
  is_skipping_ = ends_in_return_ = false;
}

Subprocess::Subprocess(const Launch& options) : hands_on_sigterm_(options.hands_on_sigterm) {
  auto out = process::pipe_from_child(), err = process::pipe_from_child(), report = process::pipe_from_child();
  auto control = process::pipe_to_child();
  become_subreaper();
  spared_ = others();
  child_ = process::Child(
      {.arguments = options.arguments,
       .environment = options.environment,
       .folder = options.folder,
       .descriptors =
           {{-1, 0}, {out.theirs.fd(), 1}, {err.theirs.fd(), 2}, {report.theirs.fd(), 3}, {control.theirs.fd(), 4}},
       .group = process::Group::own,
       .dies_with_us = true,
       .unblocks_signals = true,
       .default_signals = {SIGPIPE, SIGXFSZ, SIGTERM, SIGINT, SIGHUP}});
  if (const int fault = child_.fault(); fault != 0)
    throw Error(is_of_machine(fault) ? ErrorKind::outside : ErrorKind::usage,
                "cannot run '" + options.arguments[0] + "' in '" + options.folder +
                    "': " + std::generic_category().message(fault));
  streams_ = {std::move(out.ours), std::move(err.ours), std::move(report.ours)};
  control_ = std::move(control.ours);
  be_nonblocking();
}

Subprocess::Subprocess(Running running)
    : child_(std::move(running.child)),
      control_(std::move(running.control)),
      streams_{std::move(running.out), std::move(running.err), std::move(running.report)} {
  be_nonblocking();
}

void Subprocess::be_nonblocking() const {
  for (const Descriptor& stream : streams_) stream.set_nonblocking();
  control_.set_nonblocking();
}

Subprocess::~Subprocess() {
  if (child_.pid() <= 0) return;
  signal_group(SIGKILL);
  child_.kill();
  end_descendants(spared_);
}

void Subprocess::tell(std::string_view line) {
  constexpr std::size_t kMostUntold = 64 << 20;  // a program that never listens takes no more
  if (untold_.size() > kMostUntold) return;
  untold_ += std::string(line) + '\n';
  tell_rest();
}

void Subprocess::tell_rest() {
  const ssize_t done = ::write(control_.fd(), untold_.data(), untold_.size());
  if (done > 0) untold_.erase(0, std::size_t(done));
  if (done < 0 && errno != EAGAIN && errno != EINTR) untold_.clear();
}

/// All of the program's processes. nullopt: they cannot be listed
std::optional<std::set<pid_t>> Subprocess::processes() const {
  auto all = descendants();
  if (all) std::erase_if(*all, [&](pid_t pid) { return spared_.contains(pid); });
  return all;
}

void Subprocess::signal_all(int number) const {
  if (number == SIGTERM && hands_on_sigterm_) return signal_group(number);
  const auto all = processes();
  if (!all) return signal_group(number);
  for (const pid_t pid : *all) ::kill(pid, number);
}

/// A shell that has just forked stands still too, but does not say so before its child, which is stopped, has gone on.
void Subprocess::stop() {
  signal_group(SIGSTOP);
  for (bool has_new = true; has_new;) {  // forks meanwhile are found by the next round
    has_new = false;
    for (const pid_t pid : processes().value_or(std::set<pid_t>())) {
      if (!stopped_.insert(pid).second) continue;
      ::kill(pid, SIGSTOP);
      has_new = true;
    }
  }
  for (int nap = 0; nap < kMostNaps; ++nap) {
    siginfo_t info{};
    const int found = ::waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG);
    if (found != 0 || info.si_pid != 0) return;
    ::poll(nullptr, 0, 1);
  }
}

/// Processes that were stopped may not be found again, for want of descriptors.
void Subprocess::go_on() {
  signal_all(SIGCONT);
  for (const pid_t pid : std::exchange(stopped_, {})) ::kill(pid, SIGCONT);
}

std::set<pid_t> Subprocess::orphans() const {
  std::set<pid_t> roots;
  for (const pid_t child : children().value_or(std::set<pid_t>())) {
    const bool is_program = child == child_.pid() || spared_.contains(child);
    if (!is_program && ::waitpid(child, nullptr, WNOHANG) != child) roots.insert(child);
  }
  return roots.empty() ? roots : with_descendants(roots).value_or(roots);
}

/// Processes that they fork meanwhile are found by the next round.
void Subprocess::end_orphans() const {
  std::set<pid_t> left = orphans();
  for (int nap = 0; nap < kMostNaps && !left.empty(); ++nap) {
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    ::poll(nullptr, 0, 1);
    left = orphans();
  }
}

bool Subprocess::has_ended() {
  if (!ended_ && child_.has_ended()) ended_ = std::chrono::steady_clock::now();
  return ended_.has_value();
}

Subprocess::Watch Subprocess::watch() const {
  Watch watch{};
  for (std::size_t i = 0; i < 3; ++i) watch.items[i] = {streams_[i].fd(), POLLIN, 0};
  watch.items[3] = {ended_ ? -1 : child_.watch(), POLLIN, 0};
  watch.items[4] = {untold_.empty() || ended_ ? -1 : control_.fd(), POLLOUT, 0};
  if (ended_) watch.most = kLinger / 10;
  if (!ended_ && child_.watch() < 0) watch.most = kBlind;
  return watch;
}

void Subprocess::read_printed(const TakeLine& line) {
  for (std::size_t i = 0; i < 2; ++i) {
    pollfd item{streams_[i].fd(), POLLIN, 0};
    while (streams_[i].is_open() && ::poll(&item, 1, 0) > 0) read_from(i, line);
    cutters_[i].finish([&](std::string_view text) { line(static_cast<Stream>(i), text); });
  }
}

bool Subprocess::read(const std::array<pollfd, 5>& items, const TakeLine& line) {
  if (items[4].revents != 0) tell_rest();
  for (std::size_t i = 0; i < 3; ++i) {
    if (items[i].revents != 0) read_from(i, line);
  }
  if (!has_ended()) return true;
  const bool is_open = streams_[0].is_open() || streams_[1].is_open() || streams_[2].is_open();
  if (is_open && std::chrono::steady_clock::now() - *ended_ < kLinger) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    cutters_[i].finish([&](std::string_view text) { line(static_cast<Stream>(i), text); });
  }
  return false;
}

bool Subprocess::pump(std::chrono::milliseconds wait, const TakeLine& line) {
  Watch now = watch();
  ::poll(now.items.data(), now.items.size(), static_cast<int>(std::min(wait, now.most.value_or(wait)).count()));
  return read(now.items, line);
}

void Subprocess::read_from(std::size_t stream, const TakeLine& line) {
  char buffer[65536];
  const ssize_t got = ::read(streams_[stream].fd(), buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return streams_[stream].close();
  cutters_[stream].feed({buffer, static_cast<std::size_t>(got)},
                        [&](std::string_view text) { line(static_cast<Stream>(stream), text); });
}

}  // namespace dlrun::programs
