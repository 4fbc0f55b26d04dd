// SPDX-License-Identifier: Apache-2.0
#include "plot/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include "util/error.hpp"

namespace dlrun::plot {

namespace {

constexpr int kDeadline = 60'000;  // milliseconds

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::outside, what + ": " + std::generic_category().message(errno));
}

/// Bytes that a child reads or writes as a file: no pipe that could fill up while we wait for its end.
class Scratch {
 public:
  explicit Scratch(const std::string& bytes = {}) : fd_(::memfd_create("dlrun-plot", MFD_CLOEXEC)) {
    if (fd_ < 0) fail("cannot make a file in memory");
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t done = ::write(fd_, bytes.data() + at, bytes.size() - at);
      if (done < 0) fail("cannot write a file in memory");
      at += std::size_t(done);
    }
    ::lseek(fd_, 0, SEEK_SET);
  }
  ~Scratch() { ::close(fd_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  int fd() const { return fd_; }
  std::string bytes() const {
    ::lseek(fd_, 0, SEEK_SET);
    std::string all;
    std::array<char, 65536> part{};
    for (ssize_t got = 0; (got = ::read(fd_, part.data(), part.size())) > 0;) all.append(part.data(), std::size_t(got));
    return all;
  }

 private:
  int fd_;
};

struct Said {
  int status = -1;  ///< of wait()
  std::string out, error;
};

/// Its status once it has ended; past the deadline it is killed.
int end_of(pid_t child) {
  const int watch = int(::syscall(SYS_pidfd_open, child, 0));
  pollfd ended{watch, POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&ended, 1, kDeadline)) < 0 && errno == EINTR) continue;
  if (ready == 0) ::kill(child, SIGKILL);
  if (watch >= 0) ::close(watch);
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/// Runs gnuplot without a person's settings. nullopt: there is none.
std::optional<Said> run(std::vector<std::string> arguments, const std::string& input) {
  const Scratch in(input), out, error;
  arguments.insert(arguments.begin(), "gnuplot");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, error.fd(), STDERR_FILENO);
  pid_t child = -1;
  const int fault = ::posix_spawnp(&child, "gnuplot", &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault == ENOENT) return std::nullopt;
  if (fault != 0) throw Error(ErrorKind::outside, "cannot start gnuplot: " + std::generic_category().message(fault));
  const int status = end_of(child);
  return Said{status, out.bytes(), error.bytes()};
}

bool is_fine(const Said& said) { return WIFEXITED(said.status) && WEXITSTATUS(said.status) == 0; }

/// The line after gnuplot's arrow says what is wrong.
std::string fault_of(const Said& said) {
  const std::size_t last = said.error.find_last_not_of(" \n\t");
  if (last == std::string::npos) return "it says nothing";
  const std::size_t begin = said.error.find_last_of('\n', last);
  const std::string line = said.error.substr(begin == std::string::npos ? 0 : begin + 1, last - begin);
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::string terminal(const Picture& picture, Form form) {
  if (form == Form::svg) {
    return fmt::format("set terminal svg size {},{} dynamic font 'sans-serif,12' background 'white' noenhanced\n",
                       picture.width, picture.height);
  }
  if (form == Form::pdf) {  // inches of 96 pixels
    return fmt::format("set terminal pdfcairo size {:.3f}in,{:.3f}in font 'sans-serif,9' noenhanced\n",
                       picture.width / 96.0, picture.height / 96.0);
  }
  return fmt::format(
      "set terminal pngcairo size {},{} font 'sans-serif,12' fontscale 1.5 linewidth 2 pointscale 2 noenhanced\n",
      2 * picture.width, 2 * picture.height);
}

}  // namespace

const char* ending(Form form) {
  if (form == Form::pdf) return "pdf";
  return form == Form::svg ? "svg" : "png";
}

std::optional<std::string> gnuplot_version() {
  const auto said = run({"--version"}, "");
  if (!said || !is_fine(*said)) return std::nullopt;
  return said->out.substr(0, said->out.find('\n'));
}

std::string drawn(const Picture& picture, Form form) {
  const auto said = run({"-d"}, terminal(picture, form) + picture.program);
  if (!said) {
    throw Error(ErrorKind::usage, "pictures are drawn by gnuplot, and there is none in PATH",
                "install it (Debian: gnuplot-nox)");
  }
  if (!is_fine(*said) || said->out.empty()) {
    throw Error(ErrorKind::outside, "gnuplot could not draw '" + picture.name + "': " + fault_of(*said));
  }
  return said->out;
}

}  // namespace dlrun::plot
