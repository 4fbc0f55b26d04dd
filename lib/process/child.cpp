// SPDX-License-Identifier: Apache-2.0
#include "process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "process/watched.hpp"
#include "util/argv.hpp"

namespace dlrun::process {

namespace {

/// Needs of the child, made before the fork: after it only async-signal-safe calls are allowed, and our memory
/// may be the child's.
struct Launch {
  std::vector<char*> arguments, environment;  ///< environment empty: ours
  std::vector<Passed> descriptors;            ///< without -1
  sigset_t mask;                              ///< signals that the program blocks
  int error;                                  ///< errno of what failed goes here
  pid_t parent;
  const Program& program;
};

/// Blocks all signals while it lives: a handler of ours must not run in the child.
class Quiet {
 public:
  Quiet() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Quiet() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

[[noreturn]] void fail(const Launch& launch) {
  const int cause = errno;
  [[maybe_unused]] const ssize_t done = ::write(launch.error, &cause, sizeof cause);
  ::_exit(127);
}

/// Descriptors first go above all places, then down to theirs: none may be overwritten by another one on the way, the
/// one for errors included.
void place_descriptors(Launch& launch) {
  int above = 3;
  for (const Passed& passed : launch.descriptors) above = std::max(above, passed.theirs + 1);
  const int moved = ::fcntl(launch.error, F_DUPFD_CLOEXEC, above);
  if (moved < 0) fail(launch);
  launch.error = moved;
  for (Passed& passed : launch.descriptors) {
    passed.ours = ::fcntl(passed.ours, F_DUPFD_CLOEXEC, above);
    if (passed.ours < 0) fail(launch);
  }
  for (const Passed& passed : launch.descriptors) {
    if (::dup2(passed.ours, passed.theirs) < 0) fail(launch);
  }
}

/// As exec would do: no handler of ours is left. Then signals may come again.
void place_signals(const Launch& launch) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    if (action.sa_handler != SIG_DFL) ::signal(number, SIG_DFL);
  }
  for (const int number : launch.program.default_signals) ::signal(number, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &launch.mask, nullptr);
}

/// Never inlined: its frame must lie outside of the one that we return to after vfork.
[[noreturn, gnu::noinline]] void become(Launch& launch) {
  const Program& program = launch.program;
  if (program.group == Group::own) ::setpgid(0, 0);
  if (program.group == Group::session) ::setsid();
  if (program.dies_with_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launch.parent) ::_exit(127);  // we ended before the child could ask for its signal
  }
  place_descriptors(launch);
  if (!program.folder.empty() && ::chdir(program.folder.c_str()) != 0) fail(launch);
  place_signals(launch);
  ::execvpe(launch.arguments[0], launch.arguments.data(), program.environment ? launch.environment.data() : environ);
  fail(launch);
}

/// errno of the child that could not become the program; 0: it has.
int failure_of(int fd) {
  int cause = 0;
  ssize_t got = 0;
  while ((got = ::read(fd, &cause, sizeof cause)) < 0 && errno == EINTR) continue;
  return got == static_cast<ssize_t>(sizeof cause) ? cause : 0;
}

/// The same descriptors, with /dev/null where none of ours is passed.
std::vector<Passed> filled(std::vector<Passed> descriptors, const Descriptor& null) {
  for (Passed& passed : descriptors) {
    if (passed.ours < 0) passed.ours = null.fd();
  }
  return descriptors;
}

/// vfork copies none of our memory, as posix_spawn does not: a start takes 1.5 ms however much we hold, where fork
/// takes 32 ms with 300 MB. The errno goes through a pipe all the same, because emulators make vfork a fork.
/// @return its number, or -1 with errno
pid_t fork_into(Launch& launch) {
  const Quiet quiet;
  launch.mask = quiet.before();
  if (launch.program.unblocks_signals) sigemptyset(&launch.mask);
  const pid_t pid = ::vfork();
  if (pid == 0) become(launch);
  return pid;
}

}  // namespace

Child::Child(const Program& program) {
  const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.is_open()) fault_ = errno;
  if (fault_ != 0) return;
  Ends error = pipe_from_child();
  Launch launch{.arguments = pointers_to(program.arguments),
                .environment = program.environment ? pointers_to(*program.environment) : std::vector<char*>(),
                .descriptors = filled(program.descriptors, null),
                .mask = {},
                .error = error.theirs.fd(),
                .parent = ::getpid(),
                .program = program};
  const pid_t pid = fork_into(launch);
  if (pid < 0) fault_ = errno;
  if (pid < 0) return;
  pid_ = pid;
  has_ended_ = false;
  has_group_ = program.group != Group::ours;
  if (program.group == Group::own) ::setpgid(pid_, pid_);  // whoever of the two comes first
  watch_ = descriptor_of(pid_);
  error.theirs.close();
  fault_ = failure_of(error.ours.fd());
  if (fault_ == 0) return;
  wait();
  pid_ = -1;
}

Child Child::adopted(pid_t pid) {
  Child child;
  child.pid_ = pid;
  child.has_ended_ = false;
  child.has_group_ = true;
  child.watch_ = descriptor_of(pid);
  return child;
}

Child& Child::operator=(Child&& other) noexcept {
  kill();
  pid_ = std::exchange(other.pid_, -1);
  has_ended_ = std::exchange(other.has_ended_, true);
  fault_ = other.fault_;
  has_group_ = other.has_group_;
  status_ = other.status_;
  peak_memory_ = other.peak_memory_;
  watch_ = std::move(other.watch_);
  return *this;
}

void Child::wait() {
  while (!has_ended_ && !reap(0)) continue;
}

bool Child::wait_for(std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds kNap{5};
  const auto until = std::chrono::steady_clock::now() + most;
  for (auto left = most; !has_ended() && left.count() > 0;) {
    pollfd item{watch_.fd(), POLLIN, 0};
    ::poll(&item, 1, static_cast<int>((watch_.is_open() ? left : kNap).count()));
    left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  }
  return has_ended_;
}

void Child::kill(std::chrono::milliseconds most) {
  if (has_ended_) return;
  signal(SIGKILL);
  if (wait_for(most)) return;
  status_ = SIGKILL;
  let_go();
}

void Child::finish(std::chrono::milliseconds most) {
  wait_for(most);
  kill();
}

bool Child::reap(int options) {
  rusage usage{};
  const pid_t reaped = ::wait4(pid_, &status_, options, &usage);
  if (reaped != pid_ && (reaped == 0 || errno == EINTR)) return false;
  if (reaped != pid_) status_ = SIGKILL;  // somebody else has reaped it: its end is not known, and no success
  peak_memory_ = std::int64_t(usage.ru_maxrss) * 1024;
  has_ended_ = true;
  return true;
}

void Child::signal(int number) const {
  if (pid_ <= 0 || (has_ended_ && !has_group_)) return;
  ::kill(has_group_ ? -pid_ : pid_, number);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace dlrun::process
