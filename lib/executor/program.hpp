// SPDX-License-Identifier: Apache-2.0
// Program that runs to its end beside the loop, with its output. Private to this room.
#pragma once
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "process/child.hpp"

namespace dlrun::executor {

class Program : public std::enable_shared_from_this<Program> {
 public:
  struct Ended {
    int code = -1;  ///< exit code as in a shell; -1: it could not be started, or took too long
    std::string out;
    std::string err;  ///< if the code is -1, the reason
  };
  using Callback = std::function<void(const Ended&)>;

  /// Starts a program, found by PATH, without standard input. The loop calls back once, unless it was stopped.
  static std::shared_ptr<Program> start(boost::asio::io_context& loop, const std::vector<std::string>& words,
                                        std::chrono::milliseconds deadline, Callback callback);
  /// Runs a program without a loop.
  static Ended run(const std::vector<std::string>& words, std::chrono::milliseconds deadline);

  Program(boost::asio::io_context& loop, Callback callback);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Kills the program; there is no call back.
  void stop();

 private:
  struct Stream {
    explicit Stream(boost::asio::io_context& loop) : pipe(loop) {}
    boost::asio::posix::stream_descriptor pipe;
    std::array<char, 4096> buffer{};
    std::string text;
    bool has_ended = false;
  };

  void spawn(const std::vector<std::string>& words);
  void watch(std::chrono::milliseconds deadline);
  void read(Stream& stream);
  void finish();
  void tell(const Ended& ended);
  void reap();

  Callback callback_;
  Stream out_, err_;
  boost::asio::steady_timer deadline_;
  process::Child child_;
  bool is_running_ = false;
  bool is_late_ = false;
};

}  // namespace dlrun::executor
