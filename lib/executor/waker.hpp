// SPDX-License-Identifier: Apache-2.0
// Wakes the loop when a descriptor becomes readable. Private to this room.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

namespace dlrun::executor {

class Waker {
 public:
  /// @param fd  is duplicated, and what can be read from it is read; -1: none
  Waker(boost::asio::io_context& loop, int fd);

  /// Was the loop woken since the last call?
  bool was_woken() { return std::exchange(is_woken_, false); }

 private:
  void watch();

  boost::asio::posix::stream_descriptor descriptor_;
  bool is_woken_ = false;
};

}  // namespace dlrun::executor
