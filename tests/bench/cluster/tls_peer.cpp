// SPDX-License-Identifier: Apache-2.0
#include "tls_peer.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "util/error.hpp"

namespace dlrun::cluster {

namespace {

[[noreturn]] void fail(const std::string& what, int number) {
  throw Error(ErrorKind::outside, what + ": " + std::generic_category().message(number));
}

}  // namespace

TlsPeer::TlsPeer(const protocol::TlsContext& context, const SocketAddress& address)
    : tls_(std::make_unique<protocol::TlsChannel>(context)),
      socket_(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (socket_ < 0) fail("no socket", errno);
  if (::connect(socket_, address.get(), address.size) != 0 && errno != EINPROGRESS) fail("cannot connect", errno);
  watch_peer(socket_);
}

TlsPeer::~TlsPeer() { close(); }

void TlsPeer::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

TlsPeer::TlsPeer(TlsPeer&& other) noexcept
    : tls_(std::move(other.tls_)),
      decoder_(std::move(other.decoder_)),
      output_(std::move(other.output_)),
      socket_(std::exchange(other.socket_, -1)) {}

TlsPeer& TlsPeer::operator=(TlsPeer&& other) noexcept {
  std::swap(tls_, other.tls_);
  std::swap(decoder_, other.decoder_);
  std::swap(output_, other.output_);
  std::swap(socket_, other.socket_);
  return *this;
}

std::vector<protocol::Message> TlsPeer::receive() {
  char buffer[65536];
  const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got < 0) fail("the connection broke", errno);
  if (got == 0) throw Error(ErrorKind::outside, "the driver hung up");
  decoder_.feed(tls_->receive({buffer, static_cast<std::size_t>(got)}));
  std::vector<protocol::Message> messages;
  while (auto message = decoder_.next()) messages.push_back(std::move(*message));
  return messages;
}

bool TlsPeer::flush() {
  output_ += tls_->take_output();
  while (!output_.empty()) {
    const ssize_t done = ::send(socket_, output_.data(), output_.size(), MSG_NOSIGNAL);
    if (done < 0 && (errno == EAGAIN || errno == ENOTCONN)) return false;
    if (done < 0) fail("the connection broke", errno);
    output_.erase(0, static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace dlrun::cluster
