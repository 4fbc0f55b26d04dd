// SPDX-License-Identifier: Apache-2.0
#include "executor/waker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

namespace dlrun::executor {

namespace asio = boost::asio;

Waker::Waker(asio::io_context& loop, int fd) : descriptor_(loop) {
  if (fd < 0) return;
  descriptor_.assign(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  watch();
}

void Waker::watch() {
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code fault) {
    if (fault) return;
    is_woken_ = true;
    std::uint64_t ignored = 0;
    [[maybe_unused]] const ssize_t got = ::read(descriptor_.native_handle(), &ignored, sizeof ignored);
    watch();
  });
}

}  // namespace dlrun::executor
