// SPDX-License-Identifier: Apache-2.0
#include "executor/program.hpp"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <csignal>
#include <system_error>
#include <utility>

namespace dlrun::executor {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostOutput = 64 << 20;  ///< bytes kept of what is printed: 100,000 jobs are 10 MB

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
  process::Ends out = process::pipe_from_child(), err = process::pipe_from_child();
  child_ = process::Child({.arguments = words,
                           .descriptors = {{-1, 0}, {out.theirs.fd(), 1}, {err.theirs.fd(), 2}},
                           .group = process::Group::session,
                           .unblocks_signals = true,
                           .default_signals = {SIGPIPE, SIGINT, SIGTERM, SIGHUP}});
  out_.pipe.assign(out.ours.release());
  err_.pipe.assign(err.ours.release());
  is_running_ = child_.fault() == 0;
  if (!is_running_) err_.text = words.at(0) + ": " + std::generic_category().message(child_.fault());
}

void Program::watch(std::chrono::milliseconds deadline) {
  read(out_);
  read(err_);
  deadline_.expires_after(deadline);
  deadline_.async_wait([self = shared_from_this(), deadline](error_code fault) {
    if (fault || !self->is_running_) return;
    self->is_late_ = true;
    self->err_.text += fmt::format("no answer within {:g} s", std::chrono::duration<double>(deadline).count());
    self->child_.signal(SIGKILL);
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
  const bool has_started = child_.pid() > 0;
  reap();
  const int status = child_.status();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  tell({has_started && !is_late_ ? code : -1, std::move(out_.text), std::move(err_.text)});
}

void Program::tell(const Ended& ended) {
  const Callback callback = std::exchange(callback_, nullptr);
  callback(ended);
}

/// A program that has closed its outputs is about to end; others are killed.
void Program::reap() {
  if (!std::exchange(is_running_, false)) return;
  if (out_.has_ended && err_.has_ended) child_.finish();
  child_.kill();
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
