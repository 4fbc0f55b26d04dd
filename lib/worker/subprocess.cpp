// SPDX-License-Identifier: Apache-2.0
#include "worker/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "util/argv.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/processes.hpp"
#include "worker/descendants.hpp"

namespace dlrun::worker {

namespace {

/// Output of grandchildren that keep a pipe open is read for this long after the program itself has ended.
constexpr std::chrono::milliseconds kLinger{500};

std::atomic<pid_t> current{0};

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw Error(ErrorKind::outside, "cannot make a pipe: " + std::generic_category().message(errno));
    }
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close(read);
    close(write);
  }
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  static int take(int& fd) {
    const int taken = fd;
    fd = -1;
    return taken;
  }
};

/// What the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Launch {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder;
  std::array<int, 4> inside;  ///< the child's ends: stdout, stderr, fd 3, fd 4
  int error;                  ///< errno of what failed goes here
  pid_t parent;
};

[[noreturn]] void fail(const Launch& launch) {
  const int cause = errno;
  [[maybe_unused]] const ssize_t done = ::write(launch.error, &cause, sizeof cause);
  ::_exit(127);
}

/// First above 9, then down to where they belong: no end may be overwritten by another on the way.
void place_descriptors(const Launch& launch) {
  std::array<int, 4> high{};
  for (int i = 0; i < 4; ++i) high[i] = ::fcntl(launch.inside[i], F_DUPFD_CLOEXEC, 10);
  for (int i = 0; i < 4; ++i) {
    if (::dup2(high[i], i + 1) < 0) fail(launch);
  }
  const int null = ::open("/dev/null", O_RDONLY);
  if (null < 0 || ::dup2(null, 0) < 0) fail(launch);
  if (null > 4) ::close(null);
}

[[noreturn]] void become(Launch launch) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.parent) ::_exit(127);
  launch.error = ::fcntl(launch.error, F_DUPFD_CLOEXEC, 20);
  place_descriptors(launch);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  if (launch.folder != nullptr && ::chdir(launch.folder) != 0) fail(launch);
  ::execvpe(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  fail(launch);
}

/// errno of the child that could not become the program; 0: it has.
int failure_of(int fd) {
  int cause = 0;
  const ssize_t got = ::read(fd, &cause, sizeof cause);
  return got == static_cast<ssize_t>(sizeof cause) ? cause : 0;
}

}  // namespace

void LineCutter::add(std::string_view bytes, const std::function<void(std::string_view)>& line) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    if (!is_skipping_) pending_ += part.substr(0, kLimit - pending_.size());
    if (newline == std::string_view::npos) {
      is_skipping_ = pending_.size() >= kLimit;
      return;
    }
    line(pending_);
    pending_.clear();
    is_skipping_ = false;
    bytes.remove_prefix(newline + 1);
  }
}

void LineCutter::finish(const std::function<void(std::string_view)>& line) {
  if (!pending_.empty()) line(pending_);
  pending_.clear();
}

Subprocess::Subprocess(const ProgramOptions& options) {
  Pipe out, err, report, control, error;
  Launch launch{pointers_to(options.arguments),
                pointers_to(options.environment),
                options.folder.empty() ? nullptr : options.folder.c_str(),
                {out.write, err.write, report.write, control.read},
                error.write,
                ::getpid()};
  become_subreaper();
  spared_ = descendants();
  pid_ = ::fork();
  if (pid_ == 0) become(launch);
  if (pid_ < 0) throw Error(ErrorKind::outside, "cannot start a process: " + std::generic_category().message(errno));
  ::setpgid(pid_, pid_);
  current = pid_;
  pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  for (Pipe* pipe : {&out, &err, &report, &error}) Pipe::close(pipe->write);
  const int cause = failure_of(error.read);
  streams_ = {Pipe::take(out.read), Pipe::take(err.read), Pipe::take(report.read)};
  control_ = Pipe::take(control.write);
  for (const int fd : streams_) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  ::fcntl(control_, F_SETFL, O_NONBLOCK);
  if (cause == 0) return;
  end();
  throw Error(is_of_machine(cause) ? ErrorKind::outside : ErrorKind::usage,
              "cannot run '" + options.arguments[0] + "' in '" + options.folder +
                  "': " + std::generic_category().message(cause));
}

Subprocess::~Subprocess() { end(); }

void Subprocess::end() {
  if (pid_ > 0) {
    signal_group(SIGKILL);
    current = 0;
    if (!ended_) ::waitpid(pid_, &status_, 0);
    end_descendants(spared_);
  }
  pid_ = -1;
  for (int& fd : streams_) Pipe::close(fd);
  Pipe::close(control_);
  Pipe::close(pidfd_);
}

void Subprocess::kill_current() {
  if (const pid_t pid = current; pid > 0) {
    ::kill(-pid, SIGKILL);
    kill_descendants();
  }
}

void Subprocess::signal_group(int number) const { ::kill(-pid_, number); }

void Subprocess::tell(std::string_view line) {
  const std::string whole = std::string(line) + '\n';
  [[maybe_unused]] const ssize_t done = ::write(control_, whole.data(), whole.size());
}

bool Subprocess::has_ended() {
  rusage usage{};
  if (!ended_ && ::wait4(pid_, &status_, WNOHANG, &usage) == pid_) {
    ended_ = std::chrono::steady_clock::now();
    peak_rss_ = std::int64_t(usage.ru_maxrss) * 1024;
  }
  return ended_.has_value();
}

bool Subprocess::pump(std::chrono::milliseconds wait, const std::function<void(Stream, std::string_view)>& line) {
  std::array<pollfd, 4> items{};
  for (std::size_t i = 0; i < 3; ++i) items[i] = {streams_[i], POLLIN, 0};
  items[3] = {ended_ ? -1 : pidfd_, POLLIN, 0};
  ::poll(items.data(), items.size(), static_cast<int>(ended_ ? std::min(wait, kLinger / 10).count() : wait.count()));
  for (std::size_t i = 0; i < 3; ++i) {
    if (items[i].revents != 0) read_from(i, line);
  }
  if (!has_ended()) return true;
  const bool is_open = streams_[0] >= 0 || streams_[1] >= 0 || streams_[2] >= 0;
  if (is_open && std::chrono::steady_clock::now() - *ended_ < kLinger) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    cutters_[i].finish([&](std::string_view text) { line(static_cast<Stream>(i), text); });
  }
  return false;
}

void Subprocess::read_from(std::size_t stream, const std::function<void(Stream, std::string_view)>& line) {
  char buffer[65536];
  const ssize_t got = ::read(streams_[stream], buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return Pipe::close(streams_[stream]);
  cutters_[stream].add({buffer, static_cast<std::size_t>(got)},
                       [&](std::string_view text) { line(static_cast<Stream>(stream), text); });
}

}  // namespace dlrun::worker
