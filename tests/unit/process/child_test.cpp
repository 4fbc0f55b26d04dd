// SPDX-License-Identifier: Apache-2.0
// Programs that start, fail to start and end.
#include "process/child.hpp"

#include <poll.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "support/few_descriptors.hpp"
#include "util/error.hpp"

namespace child_test {

using namespace dlrun;
using namespace dlrun::process;

namespace {

/// Standard output of a program that is run to its end.
std::string output(Program program) {
  const Descriptor out = file_in_memory();
  program.descriptors.push_back({out.fd(), 1});
  Child child(program);
  REQUIRE(child.fault() == 0);
  child.wait();
  CHECK(child.status() == 0);
  return bytes_of(out);
}

Program shell(const std::string& text) { return {.arguments = {"sh", "-c", text}}; }

/// Waits until the last holder of the other end is gone.
std::string rest_of(const Ends& ends) {
  std::string all;
  char part[256];
  for (ssize_t got = 0; (got = ::read(ends.ours.fd(), part, sizeof part)) > 0;) all.append(part, std::size_t(got));
  return all;
}

/// A signal's disposition and the mask as they are here, put back with the object.
class Signals {
 public:
  explicit Signals(int ignored, int blocked) : number_(ignored), before_(::signal(ignored, SIG_IGN)) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, blocked);
    ::pthread_sigmask(SIG_BLOCK, &set, &mask_);
  }
  ~Signals() {
    ::signal(number_, before_);
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }

 private:
  int number_;
  void (*before_)(int);
  sigset_t mask_;
};

/// Does a set of signals, as /proc shows it, hold this one?
bool holds(const std::string& status, const std::string& set, int number) {
  const std::size_t at = status.find(set + ":");
  return (std::stoull(status.substr(at + set.size() + 1), nullptr, 16) >> (number - 1) & 1) != 0;
}

}  // namespace

TEST_CASE("a program has the environment, the folder and the descriptors that it is given", "[process][child]") {
  CHECK(output(shell("echo $HOME")) == std::string(::getenv("HOME")) + "\n");
  Program program = shell("echo $WHAT; pwd");
  program.environment = {{"WHAT=this"}};
  program.folder = "/";
  CHECK(output(program) == "this\n/\n");
  program = {.arguments = {"cat"}, .descriptors = {{-1, 0}}};
  CHECK(output(program).empty());
  const Descriptor question = file_in_memory("asked");
  program.descriptors = {{question.fd(), 0}};
  CHECK(output(program) == "asked");
}

TEST_CASE("descriptors may take each other's places", "[process][child]") {
  const Ends one = pipe_from_child(), two = pipe_from_child();
  Program program{.arguments = {"sh", "-c", "echo one > /proc/self/fd/$0; echo two > /proc/self/fd/$1"}};
  program.arguments.push_back(std::to_string(two.theirs.fd()));
  program.arguments.push_back(std::to_string(one.theirs.fd()));
  program.descriptors = {{one.theirs.fd(), two.theirs.fd()}, {two.theirs.fd(), one.theirs.fd()}};
  output(program);
  char text[5] = {};
  CHECK(::read(one.ours.fd(), text, 4) == 4);
  CHECK(std::string(text) == "one\n");
  CHECK(::read(two.ours.fd(), text, 4) == 4);
  CHECK(std::string(text) == "two\n");
}

TEST_CASE("a descriptor may have any number", "[process][child]") {
  for (int number = 3; number < 16; ++number) {
    const Descriptor first = file_in_memory(), second = file_in_memory();
    Program program = shell("echo one > /proc/self/fd/$0; echo two > /proc/self/fd/$1");
    program.arguments.insert(program.arguments.end(), {std::to_string(number), std::to_string(number + 1)});
    program.descriptors = {{first.fd(), number}, {second.fd(), number + 1}};
    output(program);
    CHECK(bytes_of(first) == "one\n");
    CHECK(bytes_of(second) == "two\n");
  }
}

TEST_CASE("a start that fails says why, whatever descriptors the program was to have", "[process][child]") {
  const Ends report = pipe_from_child(), control = pipe_to_child();
  Program program{.arguments = {"/no/such/program"}};
  for (int first = 0; first < 16; ++first) {
    program.descriptors = {{report.theirs.fd(), first}, {control.theirs.fd(), first + 1}};
    const Child child(program);
    CHECK(child.fault() == ENOENT);
    CHECK(child.pid() == -1);
  }
  CHECK(Child(Program{.arguments = {"dlrun-no-such-program"}}).fault() == ENOENT);
  CHECK(Child(Program{.arguments = {"/etc/passwd"}}).fault() == EACCES);
  CHECK(Child(Program{.arguments = {"true"}, .folder = "/no/such/folder"}).fault() == ENOENT);
  CHECK(Child(Program{.arguments = {"true"}, .descriptors = {{999, 3}}}).fault() == EBADF);
}

TEST_CASE("a start without descriptors is a fault, and no program that ended", "[process][child][descriptors]") {
  const Program program{.arguments = {"true"}, .descriptors = {{-1, 0}, {2, 9}}};
  for (rlim_t left = 0; left < 16; ++left) {
    const support::FewDescriptors few(left);
    try {
      Child child(program);
      if (child.fault() == 0) child.wait();
      CHECK((child.fault() == EMFILE || child.fault() == EINVAL || child.status() == 0));
    } catch (const Error& fault) {
      CHECK(fault.kind() == ErrorKind::outside);
    }
  }
}

TEST_CASE("a program that somebody else has reaped has not succeeded", "[process][child]") {
  const Signals ignored(SIGCHLD, SIGUSR1);  // the kernel reaps
  Child child(Program{.arguments = {"false"}});
  child.wait();
  CHECK(child.status() != 0);
}

// A killed process is not its parent's to reap while another one traces it.
TEST_CASE("a program that cannot die is waited for a while, and left", "[process][child]") {
  Child child(Program{.arguments = {"sleep", "600"}});
  Ends traced = pipe_from_child(), go = pipe_to_child();
  const pid_t tracer = ::fork();
  if (tracer == 0) {
    go.ours.close();
    char byte = ::ptrace(PTRACE_SEIZE, child.pid(), 0, 0) == 0 ? 'y' : 'n';
    const bool is_told = ::write(traced.theirs.fd(), &byte, 1) == 1;
    ::_exit(is_told && ::read(go.theirs.fd(), &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(::read(traced.ours.fd(), &byte, 1) == 1);
  if (byte != 'y') WARN("skipped: no process may be traced here");
  if (byte == 'y') CHECK_FALSE(child.wait_for(std::chrono::milliseconds(1)));
  child.kill(std::chrono::milliseconds(50));
  CHECK(child.has_ended());
  CHECK(WTERMSIG(child.status()) == SIGKILL);
  CHECK(::kill(child.pid(), 0) == (byte == 'y' ? 0 : -1));
  go.ours.close();
  ::waitpid(tracer, nullptr, 0);
  ::waitpid(child.pid(), nullptr, 0);
}

TEST_CASE("signals that we block or ignore have their usual effect where that is asked for", "[process][child]") {
  const Signals signals(SIGPIPE, SIGTERM);
  Program program{.arguments = {"grep", "Sig", "/proc/self/status"}};
  std::string status = output(program);
  CHECK(holds(status, "SigIgn", SIGPIPE));
  CHECK(holds(status, "SigBlk", SIGTERM));
  program.unblocks_signals = true;
  program.default_signals = {SIGPIPE};
  status = output(program);
  CHECK_FALSE(holds(status, "SigIgn", SIGPIPE));
  CHECK_FALSE(holds(status, "SigBlk", SIGTERM));
}

TEST_CASE("a program stays in our group, or has a group or a session of its own", "[process][child]") {
  Program program{.arguments = {"cut", "-d", " ", "-f", "1,5,6", "/proc/self/stat"}};
  const auto ids = [&](Group group) {
    program.group = group;
    std::istringstream text(output(program));
    std::vector<pid_t> numbers(3);
    for (pid_t& number : numbers) text >> number;
    return numbers;
  };
  CHECK(ids(Group::ours)[1] == ::getpgrp());
  const auto own = ids(Group::own);
  CHECK(own[1] == own[0]);
  CHECK(own[2] == ::getsid(0));
  const auto session = ids(Group::session);
  CHECK(session[1] == session[0]);
  CHECK(session[2] == session[0]);
}

TEST_CASE("the end of a program can be polled, and is known with its peak of memory", "[process][child]") {
  Ends go = pipe_to_child();
  Program program = shell("read line; x=$(head -c 30000000 /dev/zero | tr '\\0' x); exit 3");
  program.descriptors = {{go.theirs.fd(), 0}};
  Child child(program);
  REQUIRE(child.fault() == 0);
  CHECK_FALSE(child.has_ended());
  pollfd end{child.watch(), POLLIN, 0};
  CHECK(::poll(&end, 1, 0) == 0);
  go.ours.close();
  go.theirs.close();
  CHECK(::poll(&end, 1, 60'000) == 1);
  CHECK(child.has_ended());
  CHECK(WEXITSTATUS(child.status()) == 3);
  CHECK(child.peak_memory() > 30'000'000);
}

TEST_CASE("a child that is dropped is killed with its group, and reaped", "[process][child]") {
  Ends alive = pipe_from_child();
  pid_t pid = -1;
  {
    Program program = shell("sleep 600 & sleep 600");
    program.descriptors = {{alive.theirs.fd(), 1}};
    program.group = Group::own;
    Child child(program);
    alive.theirs.close();
    pid = child.pid();
    Child moved(std::move(child));
    CHECK(child.pid() == -1);
    CHECK(::kill(pid, 0) == 0);
  }
  CHECK(rest_of(alive).empty());
  CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("a program that dies with us ends with the thread that started it", "[process][child]") {
  Child child;
  std::thread starter([&] { child = Child({.arguments = {"sleep", "600"}, .dies_with_us = true}); });
  starter.join();
  child.wait();
  CHECK(WIFSIGNALED(child.status()));
  CHECK(WTERMSIG(child.status()) == SIGKILL);
}

TEST_CASE("no descriptor of ours is left in a child, also of another thread's", "[process][child]") {
  const Program program{.arguments = {"ls", "/proc/self/fd"}, .descriptors = {{-1, 0}}};
  const std::string usual = output(program);
  const Ends pipe = pipe_from_child(), sockets = socket_pair();
  const Descriptor file = file_in_memory("held");
  std::vector<std::string> seen(40);
  const auto start = [&](std::size_t first) {
    for (std::size_t i = first; i < seen.size(); i += 2) {
      const Descriptor out = file_in_memory();
      Program listing = program;
      listing.descriptors.push_back({out.fd(), 1});
      Child child(listing);
      child.wait();
      seen[i] = bytes_of(out);
    }
  };
  std::thread other(start, 1);
  start(0);
  other.join();
  for (const std::string& one : seen) CHECK(one == usual);
}

TEST_CASE("an end has words", "[process]") {
  CHECK(end_text(W_EXITCODE(3, 0)) == "exit code 3");
  CHECK(end_text(W_EXITCODE(0, SIGKILL)) == "signal 9 (Killed)");
}

}  // namespace child_test
