// SPDX-License-Identifier: Apache-2.0
// Bytes of a link, read and written in turns of an Asio loop. Private to this room: includes Asio.
#pragma once
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "gang/link.hpp"

namespace dlrun::gang {

namespace asio = boost::asio;
using IoFault = boost::system::error_code;

/// One read and one write at a time.
class Stream {
 public:
  using Done = std::function<void(const IoFault&)>;

  virtual ~Stream() = default;
  /// Fills all buffers.
  virtual void read(std::vector<asio::mutable_buffer> into, Done done) = 0;
  /// @param bytes  lent until done is called
  virtual void write(std::vector<asio::const_buffer> bytes, Done done) = 0;
};

std::unique_ptr<Stream> make_stream(asio::io_context& loop, Link link);

}  // namespace dlrun::gang
