// SPDX-License-Identifier: Apache-2.0
#include "executor/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <csignal>
#include <system_error>

namespace dlrun::executor {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostOutput = 64 << 20;  ///< bytes kept of what is printed: 100,000 jobs are 10 MB

/// Both ends closed on exec; the child gets its own by dup2.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  return ends;
}

}  // namespace

Program::Program(asio::io_context& loop, Callback callback)
    : callback_(std::move(callback)), out_(loop), err_(loop), deadline_(loop) {}

Program::~Program() { reap(); }

std::shared_ptr<Program> Program::start(asio::io_context& loop, const std::vector<std::string>& words,
                                        std::chrono::milliseconds deadline, Callback callback) {
  auto program = std::make_shared<Program>(loop, std::move(callback));
  program->spawn(words);
  program->watch(deadline);
  return program;
}

Program::Ended Program::run(const std::vector<std::string>& words, std::chrono::milliseconds deadline) {
  asio::io_context loop{1};
  Ended result;
  const auto program = start(loop, words, deadline, [&](const Ended& ended) { result = ended; });
  loop.run();
  return result;
}

void Program::spawn(const std::vector<std::string>& words) {
  const auto out = make_pipe(), err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int fault = ::posix_spawnp(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(out[1]);
  ::close(err[1]);
  out_.pipe.assign(out[0]);
  err_.pipe.assign(err[0]);
  if (fault == 0) return;
  pid_ = -1;
  err_.text = words.at(0) + ": " + std::generic_category().message(fault);
}

void Program::watch(std::chrono::milliseconds deadline) {
  read(out_);
  read(err_);
  deadline_.expires_after(deadline);
  deadline_.async_wait([self = shared_from_this(), deadline](error_code fault) {
    if (fault || self->pid_ < 0) return;
    self->is_late_ = true;
    self->err_.text += fmt::format("no answer within {:g} s", std::chrono::duration<double>(deadline).count());
    ::kill(-self->pid_, SIGKILL);
    error_code ignored;  // whoever else holds the other end is not waited for
    self->out_.pipe.close(ignored);
    self->err_.pipe.close(ignored);
  });
}

void Program::read(Stream& stream) {
  stream.pipe.async_read_some(asio::buffer(stream.buffer),
                              [self = shared_from_this(), &stream](error_code fault, std::size_t bytes) {
                                if (fault) {
                                  stream.has_ended = true;
                                  return self->finish();
                                }
                                if (stream.text.size() < kMostOutput) stream.text.append(stream.buffer.data(), bytes);
                                self->read(stream);
                              });
}

void Program::finish() {
  if (!out_.has_ended || !err_.has_ended || !callback_) return;
  deadline_.cancel();
  const bool has_started = pid_ > 0;
  reap();
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  tell({has_started && !is_late_ ? code : -1, std::move(out_.text), std::move(err_.text)});
}

void Program::tell(const Ended& ended) {
  const Callback callback = std::exchange(callback_, nullptr);
  callback(ended);
}

/// It has closed what it prints to, or is killed here.
void Program::reap() {
  if (pid_ <= 0) return;
  if (!out_.has_ended || !err_.has_ended) ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
  pid_ = -1;
}

void Program::stop() {
  callback_ = nullptr;
  deadline_.cancel();
  error_code ignored;
  out_.pipe.close(ignored);
  err_.pipe.close(ignored);
  reap();
}

}  // namespace dlrun::executor
